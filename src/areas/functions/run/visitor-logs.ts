import type { LogLine } from '../../../ports/sandbox.port.js';

/** Characters that are kept of what a run prints that a visitor started: visitors choose how often, and often what. */
const mostKept = 4_096;

/** Whole lines up to the limit, the beginning of the next, and a line that says so. */
export function visitorLogs(lines: readonly LogLine[]): readonly LogLine[] {
  const kept: LogLine[] = [];
  let left = mostKept;
  for (const line of lines) {
    // Never half of a surrogate pair.
    kept.push({ ...line, text: line.text.slice(0, left).replace(/[\uD800-\uDBFF]$/, '') });
    left -= line.text.length;
    if (left < 0) return [...kept, { at: line.at, level: 'warn', text: cut }];
  }
  return lines;
}

const cut = `The rest is left out: of a run that a visitor started, ${mostKept} characters are kept.`;
