// Imports nothing of ours: jest loads it as it stands.
import { appendFileSync } from 'node:fs';

interface FileResult {
  readonly testFilePath: string;
  readonly numPassingTests: number;
  readonly numFailingTests: number;
  readonly testExecError?: unknown;
  readonly perfStats: { readonly start: number; readonly end: number };
}

/** Writes one JSON line into FILE_RESULTS as each spec file ends, so that nothing is lost when jest is stopped midway. */
export default class FileResultsReporter {
  onTestFileResult(_test: unknown, result: FileResult): void {
    const into = process.env['FILE_RESULTS'];
    if (!into) return;
    const { testFilePath: file, numPassingTests: passed, numFailingTests, testExecError, perfStats } = result;
    // A file that could not be run is one failure.
    const failed = numFailingTests === 0 && testExecError ? 1 : numFailingTests;
    appendFileSync(into, `${JSON.stringify({ file, passed, failed, ms: perfStats.end - perfStats.start })}\n`);
  }
}
