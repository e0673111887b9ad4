import { query } from '../../../engine/operation/bound-operation.js';
import { shapeOf } from '../../../kernel/field/field.js';
import { builtins } from './builtin.api.js';
import { builtinSources } from './builtin-line.api.js';

const declared = {
  source: 'Account Events API, Endpoints',
  permission: 'functions.read',
  tools: 'granted',
} as const;

const SourceRecord = shapeOf('SourceRecord', {
  source: { type: 'string', enum: builtinSources },
  events: { type: 'array', items: 'object', description: 'Each { name, description }.' },
});

const install = { installId: { type: 'string' }, appName: { type: 'string' } } as const;
const AppInstall = shapeOf('AppInstall', install);
const AppSender = shapeOf('AppSender', {
  ...install,
  events: { type: 'array', items: 'string', description: 'Event names, app.<name>.' },
});

const listed = builtinSources.map((source) => ({ source, events: eventsOf(source) }));

/** The app operations return empty lists, because apps cannot be installed yet. */
export const builtinOperations = [
  query('accountEvents/builtins', {
    ...declared,
    summary: 'Lists the built-in events by source, each with a description.',
    group: 'events',
    answers: { list: SourceRecord },
    input: {},
    handle: async () => listed,
  }),
  query('accountEvents/appEvents', {
    ...declared,
    summary: 'Lists the events that installed apps raised in the last 30 days, by app.',
    group: 'app-events',
    answers: { list: AppSender },
    input: {},
    handle: async () => [],
  }),
  query('accountEvents/appEventInstalls', {
    ...declared,
    summary:
      'Returns the installed apps that a trigger on an app event can use, and the one that is selected if the trigger specifies none.',
    group: 'app-events',
    answers: {
      fields: {
        installs: { type: 'array', items: () => AppInstall },
        picked: {
          type: 'string',
          nullable: true,
          description: 'The installId of the app that is selected automatically. null if there is none.',
        },
      },
    },
    input: {
      event: {
        type: 'string',
        minLength: 5,
        maxLength: 100,
        pattern: /^app\..+/,
        description: 'An app event, app.<name>.',
      },
    },
    handle: async () => ({ installs: [], picked: null }),
  }),
];

function eventsOf(source: string): readonly object[] {
  const own = builtins.filter(({ name }) => name.startsWith(`${source}.`));
  return [...new Map(own.map(({ name, description }) => [name, { name, description }])).values()];
}
