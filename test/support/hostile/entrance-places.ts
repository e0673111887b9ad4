import { ended, toldOf, toolFunction } from '../automations/agents.js';
import { hooked, saidBy, settled } from '../mail/mailhooks.js';
import { mailOf, ordinary } from '../mail/mails.js';
import { deliver } from '../mail/smtp-client.js';
import { done } from '../people.js';
import { callsTools, writes } from '../servers/assistant-server.js';
import type { Json } from './hostile-json.js';
import type { HostileScene, Place } from './places.js';

const pairs = (json: Json) => Object.keys(json).map((key) => [key.toWellFormed(), `of ${key}`.toWellFormed()] as const);

/** Calls a webhook with the names in its URL or in a form. `shown` returns the original JSON if all of them arrived. */
async function called(scene: HostileScene, json: Json, sent: (text: string) => { query: string; body: string }) {
  const { token } = await scene.ok('automations/createWebhook', { functionId: scene.echo });
  const given = pairs(json);
  const { query, body } = sent(given.map((pair) => pair.map(encodeURIComponent).join('=')).join('&'));
  const path = `/api/automations/functions/webhook/${token}${query}`;
  const reply = await scene.app.send('POST', path, body, { 'content-type': 'application/x-www-form-urlencoded' });
  return { reply, shown: (got: object) => (same(Object.entries(got), given) ? json : got) };
}

/** Compares regardless of order, because numeric names come first in an object. */
const same = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  sorted(some).join() === sorted(others).join();
const sorted = (all: readonly unknown[]): readonly string[] => all.map((one) => JSON.stringify(one)).sort();

/** Places that receive names in another form than JSON, or from a language model. */
export const entrancePlaces: readonly Place[] = [
  {
    what: 'names in the address of a webhook',
    of: [],
    takes: 'kept',
    async give(scene, json) {
      const { reply, shown } = await called(scene, json, (text) => ({ query: `?${text}`, body: '' }));
      return { reply, shown: async () => shown(reply.body.data._request.query) };
    },
  },
  {
    what: 'names in a form that a webhook is sent',
    of: [],
    takes: 'kept',
    async give(scene, json) {
      const { reply, shown } = await called(scene, json, (text) => ({ query: '', body: text }));
      const { _request, ...rest } = reply.body.data ?? {};
      return { reply, shown: async () => shown(rest) };
    },
  },
  {
    what: 'headers of a mail',
    of: [],
    takes: 'kept',
    async give(scene, json) {
      const { app } = scene;
      const { id, address } = await hooked(app, 'console.log(JSON.stringify(params.headers))');
      // Other names cannot be header names.
      const names = Object.keys(json).filter((key) => /^[!-9;-~]+$/.test(key));
      const raw = mailOf(ordinary(names.map((name) => `${name}: of ${name}`)));
      const said = await deliver(scene.smtpPort, address, raw);
      return {
        reply: { status: said.startsWith('250') ? 200 : 500, body: { detail: said }, headers: new Headers() },
        shown: async () => {
          const [mail] = await settled(app, id);
          const toFunction = JSON.parse((await saidBy(app, mail.runId))[0]);
          const wanted = names.map((name) => [name.toLowerCase(), `of ${name}`]);
          const isThere = (headers: object) =>
            wanted.every(
              ([name, value]) =>
                Object.hasOwn(headers, name ?? '') &&
                same([Object.entries(headers).find(([key]) => key === name)?.[1]], [value]),
            );
          return isThere(mail.headers) && isThere(toFunction) ? json : { shown: mail.headers, toFunction };
        },
      };
    },
  },
  {
    what: 'what an agent is to work on',
    of: ['agents/runAgent input'],
    takes: 'kept',
    async give(scene, input) {
      scene.assistant.plays(writes('Done.'));
      return scene.give('agents/runAgent', { id: scene.agent, input }, async ({ runId }) => {
        await ended(scene.app, runId);
        const user = scene.assistant.asked[0]?.body.messages[1];
        return JSON.parse(user.content).request;
      });
    },
  },
  {
    what: 'what a language model sends to a tool, and what it is told of the result',
    of: [],
    takes: 'kept',
    async give(scene, args) {
      const { app, assistant } = scene;
      const fn = await toolFunction(app);
      await done(app, 'workspace/updateAgent', { id: scene.agent, tools: [fn] });
      assistant.plays(callsTools([fn, args]), writes('Done.'));
      const { runId } = await done(app, 'agents/runAgent', { id: scene.agent, input: 'Call it.' });
      await ended(app, runId);
      const [told] = toldOf(assistant.asked[1] as never);
      const { code, message: detail } = told?.refused ?? {};
      const reply = { status: code === undefined ? 200 : 400, body: { code, detail }, headers: new Headers() };
      return { reply, shown: async () => told?.answer ?? told };
    },
  },
];
