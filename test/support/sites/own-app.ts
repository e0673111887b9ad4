import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { extract } from 'tar';
import ts from 'typescript';

const run = promisify(execFile);
const resolving = {
  bundler: { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  nodenext: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
};

/** An app outside the site, at its own origin. It uses React and the package that `npm run pack:site` creates. */
export class OwnApp {
  private readonly server = createServer((request, response) => {
    const isScript = request.url === '/app.js';
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? this.script : '<!doctype html><div id="app"></div><script src="/app.js"></script>');
  });
  private script = '';

  private constructor(private readonly folder: string) {}

  /** @param source TSX */
  static async start(source: string): Promise<OwnApp> {
    const app = new OwnApp(mkdtempSync(join(tmpdir(), 'countersign-own-app-')));
    await app.install();
    writeFileSync(app.entry, source);
    app.server.listen(0, '127.0.0.1');
    await once(app.server, 'listening');
    return app;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private get entry(): string {
    return join(this.folder, 'app.tsx');
  }

  private async install(): Promise<void> {
    const packages = join(this.folder, 'node_modules');
    const own = join(packages, '@countersign/site');
    mkdirSync(own, { recursive: true });
    mkdirSync(join(packages, '@types'));
    for (const name of ['react', 'react-dom', '@types/react', '@types/react-dom']) {
      symlinkSync(join(process.cwd(), 'node_modules', name), join(packages, name));
    }
    writeFileSync(join(this.folder, 'package.json'), '{"type":"module"}');
    const { stdout } = await run('npm', ['run', '--silent', 'pack:site', '--', '--pack-destination', this.folder]);
    const file = join(this.folder, stdout.trim().split('\n').at(-1) ?? '');
    await extract({ file, cwd: own, strip: 1 });
  }

  /** Bundles the script that the app's page loads. */
  async bundle(define: Readonly<Record<string, string>>): Promise<void> {
    const { outputFiles } = await build({
      entryPoints: [this.entry],
      bundle: true,
      write: false,
      jsx: 'automatic',
      define: { 'process.env.NODE_ENV': '"production"', ...define },
    });
    this.script = outputFiles[0]?.text ?? '';
  }

  /** Returns the compiler's errors, with packages resolved as in Node. */
  complaints(): readonly string[] {
    const program = ts.createProgram([this.entry], {
      ...resolving.nodenext,
      target: ts.ScriptTarget.ES2022,
      jsx: ts.JsxEmit.ReactJSX,
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      types: [],
    });
    return ts
      .getPreEmitDiagnostics(program)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
  }

  /** Returns the file, relative to its package, in which the compiler finds the types of `@countersign/site`. */
  typesOf(how: keyof typeof resolving): string | undefined {
    const { resolvedModule } = ts.resolveModuleName('@countersign/site', this.entry, resolving[how], ts.sys);
    return resolvedModule?.resolvedFileName.split('/@countersign/site/')[1];
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
    rmSync(this.folder, { recursive: true });
  }
}
