import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.js';
import { creditsShown } from '../../support/automations/credits.js';
import { activeFlow, activeFunction } from '../../support/automations/flows.js';
import { MailServerForTests } from '../../support/mail/mail-server.js';
import { allowingLoopback, createMailbox, mailboxAt, mailOfTests, password } from '../../support/mail/mailboxes.js';
import { done } from '../../support/people.js';
import { type AssistantServer, proposes, startAssistantServer } from '../../support/servers/assistant-server.js';
import { type RegistryForTests, startRegistry } from '../../support/servers/npm-registry.js';
import { type StandInProcessor, startProcessor } from '../../support/servers/payment-processor.js';
import { DryRuns } from '../../support/stores/dry-runs.js';

let app: TestApp;
let trials: DryRuns;
let mail: MailServerForTests;
let processor: StandInProcessor;
let registry: RegistryForTests;
let assistant: AssistantServer;
beforeAll(async () => {
  mail = await MailServerForTests.start({ password });
  processor = await startProcessor();
  registry = await startRegistry();
  assistant = await startAssistantServer();
  app = await startApp({
    environment: {
      ...allowingLoopback,
      PROCESSOR_URL: processor.url,
      BASE_URL: 'https://api.example.org',
      NPM_CONFIG_REGISTRY: registry.url,
      ASSISTANT_URL: assistant.url,
      ASSISTANT_KEY: 'sk-key',
      ASSISTANT_MODEL: 'model-1',
    },
    replacements: [mailOfTests()],
  });
  trials = new DryRuns(app);
});
afterAll(async () => {
  await app.close();
  await Promise.all([mail.close(), processor.close(), registry.close(), assistant.close()]);
});

const typesOf = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

describe('a dry run stops before a call to the outside, and reports it', () => {
  it('for a mail', async () => {
    const { id } = await createMailbox(app, mailboxAt(mail));
    const { answer, outside } = await trials.of('automations/testMailAccount', { id });
    expect([answer, outside]).toEqual([null, [`logs in to the mail server 127.0.0.1:${mail.port}`]]);
    expect(mail.received).toEqual([]);
  });

  it('for a call to the payment processor', async () => {
    const { id: projectId } = await done(app, 'site/createProject', { name: 'Shop' });
    const value = 'sk_test_51Canary';
    await done(app, 'site/createEnvVar', { projectId, name: 'PAYMENT_TEST_SECRET_KEY', value });
    const { answer, outside } = await trials.of('site/registerProcessorWebhook', { projectId, mode: 'test' });
    expect([answer, outside]).toEqual([null, ['registers a webhook at the payment processor']]);
    expect(processor.of('webhook_endpoint')).toEqual([]);
  });

  it('for a fetch of packages', async () => {
    registry.publish('leaf', '1.0.0');
    const { id } = await done(app, 'site/createProject', { name: 'Shop' });
    await done(app, 'site/updateProject', { id, dependencies: { leaf: '^1.0.0' } });
    const { answer, outside } = await trials.of('site/bundleDeps', { id });
    expect([answer, outside]).toEqual([null, ['fetches packages from the npm registry']]);
    expect(registry.asked).toEqual([]);
  });

  it('for a question to a model, and uses no credit', async () => {
    const { id } = await done(app, 'automations/createFunction', { name: 'Total', code: 'return 1' });
    const before = await creditsShown(app);
    assistant.plays(proposes('return 2'));
    const { answer, outside } = await trials.of('automations/aiAuthor', { id, message: 'Two.' });
    expect([answer, outside]).toEqual([null, ['asks a language model']]);
    expect([assistant.asked, await creditsShown(app)]).toEqual([[], before]);
  });

  it('for code, and shows that a run would have begun', async () => {
    const id = await activeFunction(app, 'return 1');
    const { answer, events, outside } = await trials.of('automations/invokeFunction', { id });
    expect([answer, outside]).toEqual([null, ['runs code']]);
    expect(typesOf(events)).toEqual(['RunStarted']);
  });
});

describe('if outside work follows later', () => {
  it('a dry run shows that the run would be accepted, and that it would do more', async () => {
    const target = await activeFunction(app, 'return 1');
    const id = await activeFlow(app, [{ id: 'a', kind: 'run_function', settings: { function: target } }]);
    const { answer, events, outside } = await trials.of('flows/runFlow', { id });
    expect(answer).toMatchObject({ runId: expect.any(String) });
    expect([typesOf(events).length > 0, outside]).toEqual([true, ['runs code', 'sends requests', 'sends mail']]);
    expect(await done(app, 'flows/listFlowRuns', { flowId: id })).toEqual([]);
  });
});
