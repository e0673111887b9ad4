import { eventScene } from '../automations/event-triggers.js';
import { endedRun } from '../automations/flows.js';
import { eventually } from '../eventually.js';
import { type HostileScene, nextName, type Place } from './places.js';

const target = (targetRef: string) => ({ targetKind: 'account_function', targetRef });

/** Returns the event that a run raised, as a trigger received it. */
async function toldBy(scene: HostileScene, triggerId: string) {
  const [run] = await eventScene(scene.app).over(triggerId);
  return run?.event;
}

/** Returns code that raises an event with the function's input. */
const raises = (name: string, what = 'params', end = 'return 1') =>
  `await ctx.events.emit(${JSON.stringify(name)}, { properties: { given: ${what} } }); ${end};`;

async function deliver(scene: HostileScene, functionId: string, json: object, headers: Record<string, string> = {}) {
  const { token } = await scene.ok('automations/createWebhook', { functionId });
  const sent = { 'content-type': 'application/json', ...headers };
  return scene.app.send('POST', `/api/automations/functions/webhook/${token}`, JSON.stringify(json), sent);
}

const schemasOf = (operation: string) => [`${operation} toolSpec.inputSchema`, `${operation} toolSpec.outputSchema`];

/** Places in functions and their runs, in account events and in flows. */
export const workPlaces: readonly Place[] = [
  {
    what: 'the input and the result of a function that is invoked',
    of: ['automations/invokeFunction event'],
    takes: 'kept',
    give: (scene, event) =>
      scene.give('automations/invokeFunction', { id: scene.echo, event }, async ({ result }) => result),
  },
  {
    what: 'a delivery to a webhook, and its answer',
    of: [],
    takes: 'kept',
    async give(scene, json) {
      const reply = await deliver(scene, scene.echo, json);
      const { _request, ...rest } = reply.body.data ?? {};
      return { reply, shown: async () => (_request.rawBody === JSON.stringify(json) ? rest : _request) };
    },
  },
  {
    what: 'a delivery that is accepted, and replayed later',
    of: [],
    takes: 'kept',
    async give(scene, json) {
      const name = nextName('delivered').replaceAll(' ', '_');
      const { id } = await scene.ok('accountEvents/addEventTrigger', {
        event: `custom.${name}`,
        ...target(scene.echo),
      });
      const reply = await deliver(
        scene,
        await scene.fn(raises(name, '{ ...params, _request: 0 }', 'throw new Error()')),
        json,
        {
          prefer: 'respond-async',
        },
      );
      return {
        reply: { ...reply, status: reply.status === 202 ? 200 : reply.status },
        shown: async () => {
          await eventScene(scene.app).over(id);
          await eventually(
            () => scene.app.call('automations/replayRun', { runId: reply.body.runId }),
            ({ status }) => status === 200,
          );
          const given = (await eventScene(scene.app).over(id, 2)).map(({ event }) => event.properties.given);
          expectSame(given[0], given[1]);
          const { _request, ...rest } = given[0];
          return rest;
        },
      };
    },
  },
  {
    what: 'an answer that is kept for its Idempotency-Key',
    of: [],
    takes: 'kept',
    async give(scene, event) {
      const again = { 'idempotency-key': nextName('key') };
      const call = () => scene.app.call('automations/invokeFunction', { id: scene.echo, event }, undefined, again);
      const reply = await call();
      return { reply, shown: async () => (await call()).body.result };
    },
  },
  {
    what: 'the log of a run',
    of: [],
    takes: 'kept',
    async give(scene, event) {
      const id = await scene.fn('console.log(JSON.stringify(params)); return 1');
      return scene.give('automations/invokeFunction', { id, event }, async ({ runId }) => {
        const { lines } = await scene.ok('automations/getRunLog', { runId });
        return JSON.parse(lines[0].text);
      });
    },
  },
  {
    what: 'subject and properties of an account event',
    of: ['accountEvents/raise subject', 'accountEvents/raise properties'],
    takes: 'kept',
    async give(scene, json) {
      const { id } = await scene.ok('accountEvents/addEventTrigger', { event: 'custom.given', ...target(scene.echo) });
      return scene.give('accountEvents/raise', { name: 'given', subject: json, properties: json }, async () => {
        const { subject, properties } = await toldBy(scene, id);
        await scene.ok('accountEvents/removeEventTrigger', { id });
        return JSON.stringify(subject) === JSON.stringify(properties) ? properties : { subject, properties };
      });
    },
  },
  {
    what: 'what a function raises of its input',
    of: [],
    takes: 'kept',
    async give(scene, event) {
      const name = nextName('emitted').replaceAll(' ', '_');
      const trigger = { event: `custom.${name}`, ...target(scene.echo) };
      const { id } = await scene.ok('accountEvents/addEventTrigger', trigger);
      const fn = await scene.fn(raises(name));
      return scene.give('automations/invokeFunction', { id: fn, event }, async () => {
        return (await toldBy(scene, id)).properties.given;
      });
    },
  },
  {
    what: 'the params of an event trigger, and what its target gets of them',
    of: ['accountEvents/addEventTrigger config.params', 'accountEvents/updateEventTrigger config.params'],
    takes: 'kept',
    async give(scene, params) {
      const name = nextName('fired').replaceAll(' ', '_');
      const fn = await scene.fn(raises(`${name}_got`));
      const { id: got } = await scene.ok('accountEvents/addEventTrigger', {
        event: `custom.${name}_got`,
        ...target(scene.echo),
      });
      const trigger = { event: `custom.${name}`, ...target(fn), config: { params } };
      return scene.give('accountEvents/addEventTrigger', trigger, async ({ id }) => {
        await scene.ok('accountEvents/raise', { name });
        const { given } = (await toldBy(scene, got)).properties;
        const triggers = await scene.ok('accountEvents/listEventTriggers');
        const shown = triggers.find((one: { readonly id: string }) => one.id === id).config.params;
        for (const key of Object.keys(params)) expectSame(given[key], params[key]);
        return shown;
      });
    },
  },
  {
    what: 'a value in a filter of an event trigger',
    of: [
      'accountEvents/addEventTrigger filters',
      'accountEvents/updateEventTrigger filters',
      'accountEvents/setFlowEventTrigger filters',
    ],
    takes: 'refused',
    give: (scene, value) =>
      scene.give(
        'accountEvents/addEventTrigger',
        { event: 'custom.filtered', ...target(scene.echo), filters: [{ field: 'properties.a', op: 'eq', value }] },
        async ({ filters }) => filters[0].value,
      ),
  },
  {
    what: 'the settings of steps of a flow',
    of: ['flows/createFlow steps.settings', 'flows/updateFlow steps.settings'],
    takes: 'kept',
    give: (scene, json) =>
      scene.give(
        'flows/createFlow',
        {
          name: nextName('Flow'),
          steps: [
            { id: 'a', kind: 'run_function', settings: { function: scene.echo, params: json } },
            { id: 'b', kind: 'raise_event', settings: { name: 'x', subject: json, properties: json } },
            { id: 'c', kind: 'http_request', settings: { url: 'https://a.example/', body: json } },
          ],
        },
        async ({ id }) => {
          const { steps } = await scene.ok('flows/getFlow', { id });
          const all = [
            steps[0].settings.params,
            steps[1].settings.subject,
            steps[1].settings.properties,
            steps[2].settings.body,
          ];
          for (const one of all) expectSame(one, json);
          return all[0];
        },
      ),
  },
  {
    what: 'the input of a flow, what a step made of it and what the next one raised of that',
    of: ['flows/runFlow input'],
    takes: 'kept',
    async give(scene, input) {
      const name = nextName('flowed').replaceAll(' ', '_');
      const { id: triggerId } = await scene.ok('accountEvents/addEventTrigger', {
        event: `custom.${name}`,
        ...target(scene.echo),
      });
      const steps = [
        { id: 'a', kind: 'run_function', settings: { function: scene.echo, params: { all: '{{input}}' } } },
        { id: 'b', kind: 'raise_event', settings: { name, properties: { given: '{{steps.a.result.all}}' } } },
      ];
      const { id } = await scene.ok('flows/createFlow', { name: nextName('Flow'), steps });
      await scene.ok('flows/updateFlow', { id, isActive: true });
      return scene.give('flows/runFlow', { id, input }, async ({ runId }) => {
        const { status, error } = await endedRun(scene.app, runId);
        if (status !== 'success') return { status, error };
        return (await toldBy(scene, triggerId)).properties.given;
      });
    },
  },
  {
    what: 'the schemas of a function’s tool',
    of: [
      ...['automations/createFunction', 'automations/updateFunction'].flatMap(schemasOf),
      ...['site/createBackendFunction', 'site/updateBackendFunction'].flatMap(schemasOf),
    ],
    takes: 'kept',
    async give(scene, json) {
      const id = await scene.fn();
      const schema = {
        type: 'object',
        properties: Object.fromEntries(Object.keys(json).map((key) => [key, { type: 'string' }])),
        default: json,
      };
      const toolSpec = {
        inputSchema: schema,
        outputSchema: { examples: [json] },
      };
      return scene.give('automations/updateFunction', { id, toolSpec }, async () => {
        const { toolSpec: shown } = await scene.ok('automations/getFunction', { id });
        const ofSite = { projectId: scene.projectId, name: nextName('tool'), code: '', toolSpec };
        expectSame((await scene.ok('site/createBackendFunction', ofSite)).toolSpec, toolSpec);
        expectSame(shown, toolSpec);
        return shown.inputSchema.default;
      });
    },
  },
  {
    what: 'the params of a schedule of a site',
    of: ['site/createSchedule params', 'site/updateSchedule params'],
    takes: 'kept',
    async give(scene, params) {
      const { projectId } = scene;
      const name = nextName('scheduled');
      await scene.ok('site/createBackendFunction', { projectId, name, code: 'return params' });
      const schedule = { projectId, functionName: name, cronExpression: '0 3 * * *', params };
      return scene.give('site/createSchedule', schedule, async ({ id }) => {
        const all = await scene.ok('site/listSchedules', { projectId });
        return all.find((one: { readonly id: string }) => one.id === id).params;
      });
    },
  },
  {
    what: 'what a visitor sends to a function of a site',
    of: ['site/invokeBackendFunction params'],
    takes: 'kept',
    async give(scene, params) {
      const { projectId } = scene;
      const name = nextName('visited');
      const accessRules = { execute: { type: 'public', scope: 'everywhere' } };
      await scene.ok('site/createBackendFunction', { projectId, name, code: 'return params', accessRules });
      const reply = await scene.site.post(`functions/${encodeURIComponent(name)}`, params);
      if (reply.status !== 200) return { reply, shown: async () => undefined };
      const { data } = await scene.ok('site/invokeBackendFunction', { projectId, functionName: name, params });
      return {
        reply,
        shown: async () => (JSON.stringify(reply.body.data) === JSON.stringify(data) ? data : [data, reply.body]),
      };
    },
  },
];

/** Compares a second copy of the JSON, in addition to the one that the place returns. */
function expectSame(got: unknown, given: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(given)) {
    throw new Error(`Given ${JSON.stringify(given)}, and shown ${JSON.stringify(got)}`);
  }
}
