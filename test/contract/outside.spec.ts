import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModulesContainer } from '@nestjs/core';
import { allOperations } from '../../src/engine/operation/operation.js';
import { Assistant } from '../../src/ports/network/assistant.port.js';
import { Egress } from '../../src/ports/network/egress.port.js';
import { Mail } from '../../src/ports/network/mail.port.js';
import { Sandbox } from '../../src/ports/offloaded/sandbox.port.js';
import type { TestApp } from '../support/app.js';
import { sharedApp } from '../support/shared-app.js';

let app: TestApp;
let parts: ReadonlySet<object>;
beforeAll(async () => {
  app = await sharedApp();
  const modules = [...app.app.get(ModulesContainer).values()];
  parts = new Set(
    modules.flatMap(({ providers }) =>
      [...providers.values()].flatMap(({ instance }) => (isObject(instance) ? [instance] : [])),
    ),
  );
});
afterAll(() => app.close());

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** All parts of the service that `start` can call, directly or through others. */
function reachedFrom(start: object): ReadonlySet<object> {
  const reached = new Set<object>([start]);
  for (const part of reached) {
    for (const held of Object.values(part)) if (isObject(held) && parts.has(held)) reached.add(held);
  }
  return reached;
}

/** Ports to the outside world, and the effect that an operation must declare if it can reach the port. */
const ports = [
  [Assistant, 'asks a language model'],
  [Egress, 'sends requests'],
  [Mail, 'sends mail'],
  [Sandbox, 'runs code'],
] as const;

/** The key of Nest's metadata that links a handler to its command. */
const handledCommand = '__commandHandler__';

describe('a command', () => {
  it.each(allOperations().filter(({ effect }) => effect === 'command'))(
    '$name declares its effects besides appending to the log',
    ({ input, outside = [] }) => {
      const handler = [...parts].find((part) => Reflect.getMetadata(handledCommand, part.constructor) === input);
      if (handler === undefined) throw new Error(`Nothing handles ${input.name}.`);
      const reached = reachedFrom(handler);
      const words = ports.flatMap(([port, word]) => (reached.has(app.app.get(port, { strict: false })) ? [word] : []));
      expect(outside).toEqual(expect.arrayContaining(words));
    },
  );
});

it('these operations do what no later event undoes, and no others', () => {
  const outside = allOperations().flatMap((one) => (one.outside ? [[one.name, one.outside.join(', ')]] : []));
  expect(Object.fromEntries(outside)).toMatchInlineSnapshot(`
{
  "accountEvents/raise": "starts runs",
  "agents/runAgent": "asks a language model, runs code",
  "automations/aiAuthor": "asks a language model",
  "automations/deleteEnvVar": "destroys secrets",
  "automations/deleteFunction": "destroys secrets",
  "automations/deleteMailAccount": "destroys secrets",
  "automations/deleteMailhook": "destroys kept mail",
  "automations/deleteWebhook": "destroys secrets",
  "automations/invokeFunction": "runs code",
  "automations/replayRun": "runs code",
  "automations/rerunInboundEmail": "starts runs",
  "automations/setEnvVar": "destroys secrets",
  "automations/setWebhookVerification": "destroys secrets",
  "automations/testMailAccount": "logs in to a mail server, sends mail",
  "automations/updateMailAccount": "destroys secrets",
  "bases/deleteBase": "destroys rows for good",
  "bases/deleteTable": "destroys rows for good",
  "bases/eraseRow": "destroys rows for good",
  "connections/removeMcpConnection": "destroys secrets",
  "connections/testMcpConnection": "sends requests",
  "connections/updateMcpConnection": "destroys secrets",
  "flows/deleteFlow": "destroys secrets",
  "flows/runFlow": "runs code, sends requests, sends mail",
  "site/connectGitHost": "sends requests, destroys secrets",
  "site/createAppUser": "sends mail",
  "site/createProcessorProduct": "sends requests",
  "site/deleteAppUser": "destroys secrets",
  "site/deleteBackendFunction": "destroys secrets",
  "site/deleteEnvVar": "destroys secrets",
  "site/deleteProject": "destroys rows for good",
  "site/disconnectGitHost": "sends requests, destroys secrets",
  "site/gitCreateRepo": "sends requests",
  "site/gitPull": "sends requests",
  "site/gitPush": "sends requests",
  "site/gitSwitchBranch": "sends requests",
  "site/invokeBackendFunction": "runs code",
  "site/registerProcessorWebhook": "sends requests, destroys secrets",
  "site/resetAppUserPassword": "destroys secrets",
  "site/resumeCampaign": "sends mail",
  "site/scheduleCampaign": "sends mail",
  "site/sendCampaign": "sends mail",
  "site/serverProxy": "sends requests",
  "site/syncProcessorProducts": "sends requests",
  "site/testCampaign": "sends mail",
  "site/updateEnvVar": "destroys secrets",
  "workspace/removeAgent": "destroys secrets",
}
`);
});
