import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { TestApp } from '../../support/app.js';
import { runnerWork } from '../../support/automations/runner-work.js';
import { eventually } from '../../support/eventually.js';
import { describeKafka } from '../../support/kafka/describe-kafka.js';
import { freePort } from '../../support/mail/free-port.js';
import { masterKey, type Processes, startProcesses } from '../../support/processes.js';
import {
  type AssistantServer,
  type Play,
  startAssistantServer,
  writes,
} from '../../support/servers/assistant-server.js';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js';

/** Needs a build, because runners are processes. The other roles run in this process. */
describeKafka((cluster) => {
  let directory: string;
  let processes: Processes;
  let assistant: AssistantServer;
  let api: TestApp;
  let mailPort: number;
  let runners: ServiceProcess[];
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'runner-kill-'));
    assistant = await startAssistantServer();
    mailPort = await freePort();
    const settings = {
      MESSAGES: 'kafka',
      KAFKA_BROKERS: cluster().brokers,
      KAFKA_NAMESPACE: `countersign-${randomUUID()}`,
      ASSISTANT_URL: assistant.url,
      ASSISTANT_MODEL: 'model-1',
    };
    processes = await startProcesses(settings);
    await processes.start('projections');
    await processes.start('scheduler');
    await processes.start('sagas');
    await processes.start('mail-in', { SMTP_IN_PORT: String(mailPort) });
    api = await processes.start('api');
    const { environment: engines } = processes.engines;
    const environment = { ...engines, ...settings, MASTER_KEY: masterKey, ROLES: 'runner' };
    const start = () => startServiceProcess({ dataDir: directory, environment });
    runners = await Promise.all([start(), start()]);
  }, 120_000);
  afterEach(async () => {
    await Promise.all(runners.map((runner) => runner.end('SIGKILL')));
    await processes.close();
    await assistant.close();
    rmSync(directory, { recursive: true, force: true });
  }, 120_000);

  it('hands flows, agents, mail and event-triggered runs to runners, each once', async () => {
    const work = await runnerWork(api, mailPort, 'return 1');
    assistant.plays(writes('Done.'));
    await work.begin(6);
    expect(await work.over()).toEqual({
      mails: ['ok'],
      triggerRuns: ['ok'],
      events: 6,
      functionRuns: [6, 6, 6],
      aiCredits: 94,
    });
  }, 180_000);

  it('continues all work in another runner if the one that has it is killed', async () => {
    const work = await runnerWork(api, mailPort, 'await new Promise((end) => setTimeout(end, 1_500)); return 1');
    let killed = false;
    const held: (() => void)[] = [];
    const once: Play = (response, asked) => {
      const answer = () => writes('Done.')(response, asked);
      if (killed) answer();
      else held.push(answer);
    };
    assistant.plays(once);
    await work.begin(6);
    await eventually(
      async () => held.length >= 6 && (await work.isInHand()),
      (inHand) => inHand,
      60_000,
    );
    await runners[0]?.end('SIGKILL');
    killed = true;
    for (const answer of held) answer();
    expect(await work.over()).toEqual({
      mails: ['ok'],
      triggerRuns: ['ok'],
      events: 6,
      functionRuns: [6, 6, 6],
      aiCredits: 94,
    });
  }, 300_000);
});
