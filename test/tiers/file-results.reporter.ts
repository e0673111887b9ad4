// Imports no project files, because jest loads it without compiling.
import { appendFileSync } from 'node:fs';

interface FileResult {
  readonly testFilePath: string;
  readonly numPassingTests: number;
  readonly numFailingTests: number;
  readonly testExecError?: unknown;
  readonly perfStats: { readonly start: number; readonly end: number };
}

/** Appends a JSON line to FILE_RESULTS for each spec file, so that results survive if jest is stopped. */
export default class FileResultsReporter {
  onTestFileResult(_test: unknown, result: FileResult): void {
    const into = process.env['FILE_RESULTS'];
    if (!into) return;
    const { testFilePath: file, numPassingTests: passed, numFailingTests, testExecError, perfStats } = result;
    // A file that failed to run counts as one failure.
    const failed = numFailingTests === 0 && testExecError ? 1 : numFailingTests;
    appendFileSync(into, `${JSON.stringify({ file, passed, failed, ms: perfStats.end - perfStats.start })}\n`);
  }
}
