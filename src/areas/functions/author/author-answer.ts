import type { AssistantAnswer } from '../../../ports/network/assistant.port.js';
import { checkProgram } from '../../../sandbox/program.js';
import { largestCode } from '../function/function.record.js';

export interface ProposedCode {
  /** Plain text without line breaks if `judgeAnswer` returned it. */
  readonly reply: string;
  readonly code: string;
}

export type Judgement =
  | { readonly ok: true; readonly proposal: ProposedCode }
  | { readonly ok: false; readonly problem: string };

const longestReply = 300;

/** Never throws. */
export function judgeAnswer({ content, cut }: Pick<AssistantAnswer, 'content' | 'cut'>): Judgement {
  if (cut) return wrong('The answer was cut off because it was too long; it must be shorter.');
  const found = written(content);
  if (found === undefined) return wrong('The answer is not the requested JSON object.');
  const code = unfenced(found.code);
  if (code.trim() === '') return wrong('The code is empty.');
  if (Buffer.byteLength(code) > largestCode) return wrong(`The code is larger than ${largestCode} bytes.`);
  const checked = checkProgram(code);
  if (!checked.ok) return wrong(`The code was refused at line ${checked.line}: ${checked.message}`);
  return { ok: true, proposal: { reply: oneLine(found.reply) || 'The code was rewritten.', code } };
}

const wrong = (problem: string): Judgement => ({ ok: false, problem });

/**
 * Models write bare JSON, JSON in a fence, JSON after reasoning or between sentences, or a single fence of code without
 * JSON.
 */
function written(content: string): ProposedCode | undefined {
  const text = content.replace(/^\s*<think>[\s\S]*?<\/think>/, '').trim();
  const braces = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  const fences = [...text.matchAll(/^```([\w-]*)[ \t]*\n([\s\S]*?)^```/gm)];
  for (const candidate of [text, braces, ...fences.map(([, , inside = '']) => inside)]) {
    const found = fromJson(candidate);
    if (found !== undefined) return found;
  }
  const [only, ...others] = fences.filter(([, language]) => language !== 'json');
  if (only?.[2] === undefined || others.length > 0) return undefined;
  return { reply: text.slice(0, only.index), code: only[2] };
}

function fromJson(text: string): ProposedCode | undefined {
  try {
    const { reply, code } = JSON.parse(text) as { readonly reply?: unknown; readonly code?: unknown };
    return typeof code === 'string' ? { reply: typeof reply === 'string' ? reply : '', code } : undefined;
  } catch {
    return undefined;
  }
}

const unfenced = (code: string) => /^\s*```[\w-]*[ \t]*\n([\s\S]*?)\n?```\s*$/.exec(code)?.[1] ?? code;

/** Removes line breaks, control characters and characters that reverse the writing direction. */
function oneLine(text: string): string {
  const plain = text.replace(/[\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, '').replace(/[\s\p{Cc}]+/gu, ' ');
  return [...plain.trim()].slice(0, longestReply).join('');
}
