// Imports no project files, because CI runs it in Node without compiling.

export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly ms: number;
}

export interface Part {
  readonly results: readonly FileResult[];
  /** Jest was stopped because its time was over. */
  readonly cutOff: boolean;
  readonly failed: boolean;
  /** Files that failed and passed when they were run again. */
  readonly flaky: readonly string[];
}

export const nothingRun: Part = { results: [], cutOff: false, failed: false, flaky: [] };

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** If jest fails without a failed test, for example by a crash, that counts as one failure. */
function failuresOf({ results, failed }: Part): number {
  const count = sum(results.map((one) => one.failed));
  return count === 0 && failed ? 1 : count;
}

type Timed = Pick<FileResult, 'file' | 'ms'>;

const secondsOf = (ms: number) => (ms / 1_000).toFixed(1).padStart(7);

/** @param starting - the files that start a service of their own */
export function slowestLines(results: readonly Timed[], starting: readonly string[]): readonly string[] {
  const slowest = [...results].sort((one, other) => other.ms - one.ms).slice(0, 20);
  const total = `${results.length} spec files took ${secondsOf(sum(results.map(({ ms }) => ms))).trim()} s together`;
  return [
    `${total}; ${starting.length} of them start a service of their own. The slowest:`,
    ...slowest.map(({ file, ms }) => `${secondsOf(ms)} s  ${file}`),
  ];
}

/** The result that CI prints at its end. A flaky file is named as such, and fails CI like any other failure. */
export function summaryOf(first: Part, others: readonly Part[], starting: readonly string[] = []) {
  const parts = [first, ...others];
  const results = parts.flatMap((part) => part.results);
  const flaky = new Set(parts.flatMap((part) => part.flaky));
  const broken = results.filter(({ failed }) => failed > 0);
  const passed = sum(results.map((one) => one.passed));
  // The first tier must run to its end.
  const failed = sum(parts.map(failuresOf)) + (first.cutOff ? 1 : 0);
  return {
    failed,
    lines: [
      ...slowestLines(results, starting),
      ...(broken.length > 0 ? ['', 'Failed:'] : []),
      ...broken.map(
        ({ file, failed }) =>
          `  ${file} (${failed}${flaky.has(file) ? '; flaky: it passed when run alone, so it has a race or waits for time' : ''})`,
      ),
      ...(first.cutOff ? ['', 'The first tier did not end in time, which is a failure.'] : []),
      `${passed} passed, ${failed} failed`,
    ],
  };
}
