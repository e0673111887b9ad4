import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

export interface Instruction {
  /** In upper case. */
  readonly name: string;
  /** The arguments, joined into one line. */
  readonly text: string;
}

/** The instructions from a FROM to the next. */
export interface Stage {
  readonly from: string;
  readonly as: string | undefined;
  readonly instructions: readonly Instruction[];
}

export const instructions: readonly Instruction[] = readFileSync(join(root, 'docker/Dockerfile'), 'utf8')
  .replaceAll(/^\s*#.*\n/gm, '')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`This is no instruction: ${line}`);
    return { name, text: text.replaceAll(/\s+/g, ' ') };
  });

export const stages: readonly Stage[] = instructions.flatMap(({ name, text }, at) => {
  if (name !== 'FROM') return [];
  const [, from = '', as] = /^(\S+)(?: AS (\S+))?$/.exec(text) ?? [];
  const after = instructions.slice(at + 1);
  const end = after.findIndex((instruction) => instruction.name === 'FROM');
  return [{ from, as, instructions: end === -1 ? after : after.slice(0, end) }];
});

/** The instructions of the last stage, which makes the image. */
export const last: readonly Instruction[] = stages.at(-1)?.instructions ?? [];

export function textOf(name: string): string {
  const found = last.filter((instruction) => instruction.name === name);
  if (found[0] === undefined || found.length > 1) throw new Error(`The last stage has ${found.length} times ${name}.`);
  return found[0].text;
}

/**
 * The words of a command in exec form.
 * @throws if it is in shell form, in which a shell would be process 1
 */
export function execForm(text: string): readonly string[] {
  const words: unknown = JSON.parse(text);
  if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  throw new Error(`This is not in exec form: ${text}`);
}

/** The command of HEALTHCHECK without its options. */
export const healthCheck = (): readonly string[] => execForm(textOf('HEALTHCHECK').replace(/^(--\S+ )*CMD /, ''));
