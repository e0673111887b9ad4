import type { LogLine } from '../../../../ports/offloaded/sandbox.port.js';
import type { RunReport } from '../run-request.api.js';

const gone: ReadonlySet<string> = new Set(['table-not-found', 'unknown-field', 'data-field-gone']);

const lineSuffix = / \(line \d+\)$/;

/**
 * Visitors must see neither the failing line of code nor the names of table fields. Members find these details in the
 * run.
 */
export function visitorReport(report: RunReport): RunReport {
  if (report.ok) return report;
  const { refusal, ...failed } = report;
  if (refusal === undefined) return { ...failed, error: failed.error.replace(lineSuffix, '') };
  if (!gone.has(refusal.code)) return report;
  return { ...failed, error: 'This function refers to data that no longer exists; the owner of the site can fix it.' };
}

/**
 * Maximum number of logged characters that are stored for one run. Limited because visitors choose how often the
 * function runs, and often what it prints.
 */
const mostCharacters = 4_096;

export function visitorLogs(lines: readonly LogLine[]): readonly LogLine[] {
  const shown: LogLine[] = [];
  let left = mostCharacters;
  for (const line of lines) {
    // Removes the first half of a surrogate pair that the limit cut in two.
    shown.push({ ...line, text: line.text.slice(0, left).replace(/[\uD800-\uDBFF]$/, '') });
    left -= line.text.length;
    if (left < 0) return [...shown, { at: line.at, level: 'warn', text: cut }];
  }
  return lines;
}

const cut = `The rest is omitted: only ${mostCharacters} characters are stored of a run that a visitor started.`;
