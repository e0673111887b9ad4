import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';

/** Installed from PyPI into a virtual environment. */
const tools = ['openapi-spec-validator==0.9.0', 'openapi-python-client==0.29.1', 'schemathesis==4.32.5'];

/** Testing all operations takes some minutes, testing the selection half a minute. */
const isWhole = process.env['TEST_DEPTH'] === 'full';

const eitherThisOrThat = 'two parameters exclude one another, which its schema does not say';
const hasToBeThere = 'a member names a record that has to be there';

/** Operations whose schema allows some input that the service refuses, with the reason. */
const refused: Readonly<Record<string, string>> = {
  'accountEvents/addEventTrigger': eitherThisOrThat,
  'accountEvents/appEventInstalls': eitherThisOrThat,
  'audit/causesOf': eitherThisOrThat,
  'audit/diffStates': 'a position is one that the log has reached',
  'audit/effectsOf': eitherThisOrThat,
  'audit/getStateAt': eitherThisOrThat,
  'automations/createSchedule': eitherThisOrThat,
  'automations/setWebhookVerification': eitherThisOrThat,
  'workspace/createApiKey': eitherThisOrThat,
  'flows/createFlow': hasToBeThere,
  'flows/updateFlow': hasToBeThere,
  'site/updateProjectAuth': hasToBeThere,
  'site/createCoupon': 'only currencies in use are taken',
  'site/updateCoupon': 'only currencies in use are taken',
  'site/updateOffer': 'only currencies in use are taken',
  'site/createEmailTemplate': 'names of variables are unique',
  'site/updateEmailTemplate': 'names of variables are unique',
  'site/listSnapshots': 'a cursor is one that was answered',
  'site/getSnapshotContent': 'a cursor is one that was answered',
  'site/setChannelAccessRules': 'names in conditions have no control characters',
};

const folder = mkdtempSync(join(tmpdir(), 'countersign-python-'));
const venv = join(folder, 'venv');
const run = promisify(execFile);
const tool = async (name: string, ...words: readonly string[]) => {
  const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, PYTHONPATH: folder } };
  return (await run(join(venv, 'bin', name), words, options)).stdout;
};

/** Returns why the tools cannot be installed, or undefined if they are. */
function whyNoTools(): string | undefined {
  try {
    execFileSync('python3', ['-m', 'venv', venv], { stdio: 'pipe', timeout: 60_000 });
    execFileSync(join(venv, 'bin/pip'), ['install', '-q', ...tools], { stdio: 'pipe', timeout: 180_000 });
    return undefined;
  } catch (error) {
    return String((error as Error).message).split('\n', 1)[0];
  }
}

const why = whyNoTools();
if (why !== undefined) {
  rmSync(folder, { recursive: true });
  process.stderr.write(`The Python tools are not run: ${why}\n`);
}

(why === undefined ? describe : describe.skip)('public Python tools', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
    for (const name of ['openapi', 'openapi-visitors']) {
      const document = await (await fetch(`${app.url}/api/${name}.json`)).text();
      writeFileSync(join(folder, `${name}.json`), document);
    }
  }, 60_000);
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  it.each(['openapi', 'openapi-visitors'])(
    'openapi-spec-validator reports no fault in %s.json',
    async (name) => {
      expect(await tool('openapi-spec-validator', `${name}.json`)).toContain(': OK');
    },
    120_000,
  );

  it('openapi-python-client generates a client that creates a function and a row', async () => {
    const to = ['--output-path', 'countersign_client', '--meta', 'none', '--overwrite'];
    await tool('openapi-python-client', 'generate', '--path', 'openapi.json', ...to);
    cpSync(join(import.meta.dirname, 'python/calls.py'), join(folder, 'calls.py'));
    const made = JSON.parse(await tool('python', 'calls.py', app.url, app.ownerKey));
    expect(made).toMatchObject({ function: { name: 'report', code: 'return 1' }, row: { title: 'One' } });
  }, 180_000);

  it(
    'schemathesis finds no refusal without a known reason',
    async () => {
      const key = ['-H', `Authorization: Bearer ${app.ownerKey}`];
      const some = isWhole ? [] : ['--include-operation-id-regex', '^(bases|audit|approvals)_'];
      const bounds = ['--phases', 'coverage', '--seed', '1', '--no-color', '--request-timeout', '60', ...some];
      const said = await tool('st', 'run', 'openapi.json', '--url', app.url, ...key, ...bounds).catch(
        ({ stdout }: { readonly stdout: string }) => stdout,
      );
      expect(said).toMatch(/\d+ generated/);
      const found = [...said.matchAll(/^_+ POST \/api\/v1\/(\S+) _+$([\s\S]*?)(?=^[_=]{3})/gm)];
      const faults = found.flatMap(([, operation = '', words = '']) => {
        const kinds = [...words.matchAll(/^- (.+)$/gm)].map(([, kind = '']) => kind);
        const without = kinds.filter(
          (kind) => !(operation in refused && kind.includes('Schema-valid request rejected')),
        );
        return without.map((kind) => `${operation}: ${kind}`);
      });
      expect([faults, said.match(/^_+ (?!POST \/api\/v1\/).+ _+$/gm)]).toEqual([[], null]);
    },
    isWhole ? 1_200_000 : 360_000,
  );
});
