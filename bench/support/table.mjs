/** A table in plain text. The first row is the header, and numbers are aligned to the right. */
export function table(title, rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  const line = (row) =>
    row.map((cell, at) => (at === 0 ? String(cell).padEnd(widths[at]) : String(cell).padStart(widths[at]))).join('  ');
  process.stdout.write(`\n${title}\n${rows.map(line).join('\n')}\n`);
}

export const whole = (value) => String(Math.round(value));
export const ms = (value) => value.toFixed(value < 10 ? 2 : 1);
export const ratio = (value) => value.toFixed(2);
