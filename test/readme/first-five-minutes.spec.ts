import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { eventually } from '../support/eventually.js';
import { sharedApp } from '../support/shared-app.js';
import { PageClient } from '../support/sites/page-client.js';
import { blockUnder, commandsOf, exampleFunctions, hasCurl } from './first-five-minutes.js';

/** Expected answers to the calls of the README, in order. */
const outcomes: readonly (readonly [begins: string, says: unknown])[] = [
  ['call automations/createFunction', { id: expect.stringMatching(/^fn_/), name: 'Order total', isActive: false }],
  ['call automations/invokeFunction', { status: 400, errors: expect.arrayContaining([expect.anything()]) }],
  [
    'call automations/invokeFunction',
    {
      result: { total: 42 },
      runId: expect.stringMatching(/^run_/),
      logs: [expect.objectContaining({ text: 'items: 2' })],
    },
  ],
  ['call automations/updateFunction', { isActive: true }],
  ['call automations/createWebhook', { token: expect.stringMatching(/./) }],
  ['curl -si', { success: true, data: { total: 5 } }],
  ['call automations/listRuns', [{ status: 'success' }, { status: 'success' }]],
  ['call automations/getRunLog', { lines: [expect.objectContaining({ text: 'items: 1' })] }],
  ['call audit/getHistory', { events: expect.arrayContaining([expect.objectContaining({ type: 'FunctionCreated' })]) }],
  [
    'call audit/listEvents',
    { events: expect.arrayContaining([expect.objectContaining({ type: 'FunctionActivated' })]) },
  ],
  ['call automations/createFunction', { id: expect.stringMatching(/^fn_/), name: 'Note' }],
  ['call automations/updateFunction', { isActive: true }],
  ['call automations/createSchedule', { nextTrigger: expect.stringMatching(/T/) }],
  ['call automations/createMailhook', { name: 'Orders', address: expect.stringContaining('@') }],
  ['call accountEvents/addEventTrigger', { id: expect.any(String), event: 'custom.order_paid' }],
  ['call accountEvents/raise', {}],
  ['call accountEvents/eventTriggerRuns', [{}]],
  ['call automations/getFunction', { updatedAt: expect.stringMatching(/T/), draft: null }],
  ['call automations/updateFunction', { draft: expect.objectContaining({ versionId: expect.any(String) }) }],
  ['call automations/publishFunction', { number: 2 }],
  [
    'try automations/deleteFunction',
    { dryRun: true, card: null, events: [expect.objectContaining({ type: 'FunctionDeleted' })] },
  ],
  [
    'call automations/setFunctionCapabilities',
    { pendingChange: expect.anything(), approveLink: expect.stringMatching(/^http/) },
  ],
  ['call approvals/listPendingChanges', { pendingChanges: [expect.objectContaining({ status: 'pending' })] }],
  ['call site/createProject', { id: expect.stringMatching(/^proj_/), name: 'Shop' }],
  ['call site/publish', { started: true }],
  [
    'call site/getProject',
    { isPublished: true, publishedUrl: expect.stringMatching(/^http:\/\/shop(-\w+)?\.localhost/) },
  ],
];

(hasCurl ? describe : describe.skip)('the first five minutes of the README, typed with curl', () => {
  let app: TestApp;
  const exported: Record<string, string> = {};
  const commands = commandsOf(blockUnder('The first five minutes'));
  const calls = commands.filter((command) => /^(call |try |curl )/.test(command));
  /** The last value that was answered under each name. */
  const answered: Record<string, string> = {};

  beforeAll(async () => {
    app = await sharedApp();
  });
  afterAll(() => app.close());

  const shell = async (command: string): Promise<string> => {
    const typed = `${exampleFunctions()}${command}`
      .replaceAll('http://127.0.0.1:3000', app.url)
      .replaceAll('run_…', answered['runId'] ?? '');
    const env = { PATH: process.env['PATH'], ...exported };
    return (await promisify(execFile)('sh', ['-eu', '-c', typed], { env })).stdout;
  };

  /**
   * Runs a line such as `export FN=fn_…    # the id that createFunction answered` with the answered value, as a reader
   * would.
   */
  const exportNamed = (command: string) => {
    const [, name = '', what = ''] = /^export ([A-Z]+)=\S*…\s+# the (\w+) that/.exec(command) ?? [];
    const value = what === 'key' ? app.ownerKey : answered[what];
    if (value === undefined) throw new Error(`Nobody answered what this is to be: ${command}`);
    exported[name] = value;
  };

  const type = async (command: string) => {
    const text = await shell(command);
    const body = text.startsWith('HTTP/') ? text.slice(text.indexOf('\r\n\r\n')) : text;
    const answer = JSON.parse(body);
    for (const name of ['id', 'token', 'runId', 'updatedAt'])
      if (typeof answer[name] === 'string') answered[name] = answer[name];
    if (typeof answer.draft?.versionId === 'string') answered['versionId'] = answer.draft.versionId;
    if (typeof answer.approveLink === 'string') answered['approveLink'] = answer.approveLink;
    // Lists are sorted newest first.
    if (/^run_/.test(answer[0]?.id)) answered['runId'] = answer[0].id;
    return { text, answer };
  };

  it('have the documented results, one by one', async () => {
    expect(calls.map((command, at) => command.startsWith(outcomes[at]?.[0] ?? '?'))).toEqual(calls.map(() => true));
    expect(calls).toHaveLength(outcomes.length);
    let at = 0;
    for (const command of commands) {
      // What a reader sleeps for is waited for below.
      if (/^\w+\(\) \{|^sleep /.test(command)) continue;
      if (command.startsWith('export ')) {
        exportNamed(command);
        continue;
      }
      const says = outcomes[at++]?.[1];
      // Repeats the command, because triggers and site builds can take longer on a busy machine than the README allows
      // for.
      const { text, answer } = await eventually(
        () => type(command),
        ({ answer }) =>
          (!command.includes('eventTriggerRuns') || answer.length > 0) &&
          (!command.includes('site/getProject') || answer.isPublished),
      );
      expect([command, answer]).toEqual([command, matching(says)]);
      if (text.startsWith('HTTP/')) expect(text).toMatch(/x-run-id: run_/i);
    }
  });

  it('end with a card that a person approves in the browser', async () => {
    const path = new URL(answered['approveLink'] ?? '').pathname;
    const page = new PageClient(app);
    await page.signIn(app.ownerKey, path);
    await page.submit(path, `${path}/approve`);
    const fn = await app.call('automations/getFunction', { id: exported['NOTE'] });
    expect(fn.body.capabilities).toEqual(['email']);
  });
});

const matching = (says: unknown) =>
  Array.isArray(says)
    ? says.map((one) => expect.objectContaining(one))
    : expect.objectContaining(says as Record<string, unknown>);
