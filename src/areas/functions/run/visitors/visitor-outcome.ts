import type { LogLine } from '../../../../ports/sandbox.port.js';
import type { RunReport } from '../run-request.api.js';

/** What a data function is refused when its definition names a table or a field that is gone. */
const gone: ReadonlySet<string> = new Set(['table-not-found', 'unknown-field', 'data-field-gone']);

/** The end of what a run's error says: where in the code it was thrown. */
const place = / \(line \d+\)$/;

/**
 * The report for visitors of the site. It leaves out the line of the code that failed and the names of a table's fields.
 * The run itself keeps the detail, for members.
 */
export function toldToVisitors(report: RunReport): RunReport {
  if (report.ok) return report;
  const { refusal, ...failed } = report;
  if (refusal === undefined) return { ...failed, error: failed.error.replace(place, '') };
  if (!gone.has(refusal.code)) return report;
  return { ...failed, error: 'This function names data that is gone; the owner of the site can mend it.' };
}

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
