import { relative } from 'node:path';
import { startServices } from './started-services.ts';
import { slowestLines } from './summary.ts';

/** Lists the slowest files at the end of a run of many files. */
export default class SlowestReporter {
  #root;
  #results = [];

  constructor({ rootDir }) {
    this.#root = rootDir;
  }

  onTestFileResult(_test, { testFilePath, perfStats }) {
    this.#results.push({ file: relative(this.#root, testFilePath), ms: perfStats.end - perfStats.start });
  }

  onRunComplete() {
    if (this.#results.length <= 20) return;
    const files = this.#results.map(({ file }) => file);
    process.stdout.write(`\n${slowestLines(this.#results, startServices(this.#root, files)).join('\n')}\n`);
  }
}
