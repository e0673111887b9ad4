// Imports nothing of ours, so that Node can run it as it stands: the CI does.

export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly ms: number;
}

export interface Part {
  readonly results: readonly FileResult[];
  /** Jest did not end by itself before the time was over. */
  readonly cutOff: boolean;
  readonly failed: boolean;
  /** Files that failed, and passed when they were run once more. */
  readonly flaky: readonly string[];
}

export const nothingRun: Part = { results: [], cutOff: false, failed: false, flaky: [] };

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/**
 * So many flaky files of a run do not fail it: one more does, and so does any other failure. It is to fall to 0 once the
 * first tier has passed ten times in a row on a busy machine.
 */
export const mostFlaky = 2;

/** Jest may fail without a failed case: a file that cannot be read, a crash of its own. */
function failuresOf({ results, failed }: Part, tolerated: ReadonlySet<string>): number {
  const broken = results.filter((one) => one.failed > 0);
  if (broken.length === 0) return failed ? 1 : 0;
  return sum(broken.filter(({ file }) => !tolerated.has(file)).map((one) => one.failed));
}

type Timed = Pick<FileResult, 'file' | 'ms'>;

const secondsOf = (ms: number) => (ms / 1_000).toFixed(1).padStart(7);

/** `starting`: the files among them that start a service of their own. */
export function slowestLines(results: readonly Timed[], starting: readonly string[]): readonly string[] {
  const slowest = [...results].sort((one, other) => other.ms - one.ms).slice(0, 20);
  const total = `${results.length} spec files took ${secondsOf(sum(results.map(({ ms }) => ms))).trim()} s together`;
  return [
    `${total}; ${starting.length} of them start a service of their own. The slowest:`,
    ...slowest.map(({ file, ms }) => `${secondsOf(ms)} s  ${file}`),
  ];
}

/** What the CI prints at its end. One failure fails it, and so do more than `mostFlaky` flaky files. */
export function summaryOf(first: Part, others: readonly Part[], starting: readonly string[] = []) {
  const parts = [first, ...others];
  const results = parts.flatMap((part) => part.results);
  const flaky = new Set(parts.flatMap((part) => part.flaky));
  const broken = results.filter(({ failed }) => failed > 0);
  const tolerated: ReadonlySet<string> = flaky.size > mostFlaky ? new Set() : flaky;
  const passed = sum(results.map((one) => one.passed));
  // The first tier is never left out.
  const failed = sum(parts.map((part) => failuresOf(part, tolerated))) + (first.cutOff ? 1 : 0);
  return {
    failed,
    lines: [
      ...slowestLines(results, starting),
      ...(broken.length > 0 ? ['', failed > 0 ? 'Failed:' : `Flaky, at most ${mostFlaky} files:`] : []),
      ...broken.map(
        ({ file, failed }) =>
          `  ${file} (${failed}${flaky.has(file) ? '; flaky: it passed when run alone, so it has a race or waits for time' : ''})`,
      ),
      ...(first.cutOff ? ['', 'The first tier did not end in time, which is a failure.'] : []),
      `${passed} passed, ${failed} failed`,
    ],
  };
}
