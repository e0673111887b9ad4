// Imports nothing of ours, so that Node can run it as it stands: the CI and jest's reporter do.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What starts a service for the file that calls it. What `support/shared-*.ts` starts is shared. */
const starters = ['startApp', 'startServiceProcess', 'runServiceProcess', 'spawnService'];

const calls = (text: string, names: readonly string[]) => new RegExp(`\\b(?:${names.join('|')})[.(]`).test(text);
/** Without comments and lists of imports, which name what is not called. */
const codeOf = (text: string) => text.replaceAll(/^import [^;]*;$|\/\*\*.*?\*\/|\/\/[^\n]*$/gms, '');

/** The names of support, `starters` included, that start a service when they are called. */
export function startersIn(support: readonly string[]): readonly string[] {
  const declared = support.flatMap((text) =>
    codeOf(text)
      .split(/^(?=export )/m)
      .flatMap((part) => {
        const name = /^export (?:async )?(?:function|class|const) (\w+)/.exec(part)?.[1];
        return name === undefined ? [] : [{ name, part }];
      }),
  );
  const found = new Set(starters);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { name, part } of declared) if (calls(part.replace(name, ''), [...found])) found.add(name);
  }
  return [...found];
}

/** Of these spec files, those that start a service of their own. */
export function startServices(root: string, files: readonly string[]): readonly string[] {
  const support = globSync('test/support/**/*.ts', { cwd: root, exclude: ['**/shared-*.ts'] });
  const names = startersIn(support.map((file) => readFileSync(join(root, file), 'utf8')));
  return files.filter((file) => calls(codeOf(readFileSync(join(root, file), 'utf8')), names));
}
