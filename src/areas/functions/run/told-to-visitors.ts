import type { RunReport } from './run-request.api.js';

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
