import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.js';
import { startConformanceProxy } from '../support/mcp/conformance-proxy.js';
import { done } from '../support/people.js';

const suite = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const run = promisify(execFile);

/**
 * The scenarios of the official suite that apply to this server. The others need content that no tool returns (images,
 * audio, embedded resources), prompts with fixed names, or features that need one process to serve a whole session
 * (sampling, elicitation, logging, subscriptions, resumed streams). Its authorization scenarios test clients.
 */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'json-schema-2020-12',
  'server-sse-multiple-streams',
  'resources-list',
  'resources-read-text',
  'prompts-list',
  'dns-rebinding-protection',
];

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
};

let app: TestApp;
let proxy: Awaited<ReturnType<typeof startConformanceProxy>>;
let results: string;

async function tool(name: string, code: string, inputSchema: object = {}) {
  const { id } = await done(app, 'automations/createFunction', { name, code, toolSpec: { inputSchema } });
  await done(app, 'automations/updateFunction', { id, isActive: true });
}

beforeAll(async () => {
  results = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));
  app = await startApp();
  await app.call('workspace/updateSettings', { versions: false });
  await tool('simple text', "return 'This is a simple text response for testing.'");
  await tool('error handling', "throw new Error('This tool intentionally returns an error for testing')");
  await tool('with progress', 'await new Promise((end) => setTimeout(end, 4500)); return true');
  await tool('json schema', 'return params', schema);
  proxy = await startConformanceProxy(app, {
    test_simple_text: 'function_simple-text',
    test_error_handling: 'function_error-handling',
    test_tool_with_progress: 'function_with-progress',
    json_schema_2020_12_tool: 'function_json-schema',
    'test://static-text': 'countersign://guide/getting-started',
  });
});
afterAll(async () => {
  await proxy.close();
  await app.close();
  rmSync(results, { recursive: true, force: true });
});

describe('the official conformance suite of MCP', () => {
  it.each(scenarios)('passes %s', async (scenario) => {
    const args = [suite, 'server', '--url', proxy.url, '--scenario', scenario, '--output-dir', results];
    const { stdout, code } = await run(process.execPath, args).then(
      ({ stdout }) => ({ stdout, code: 0 }),
      (error: { readonly stdout: string; readonly code: number }) => error,
    );
    expect([code, stdout]).toEqual([0, expect.stringMatching(/0 failed/)]);
    expect(stdout).not.toMatch(/[1-9]\d* warnings?/);
  });
});
