import { Operation } from '../../../engine/operation/operation.js';
import { answers } from '../../../engine/records/rule.js';
import { Field } from '../../../kernel/field/field.js';
import { builtins } from './builtin.api.js';
import { builtinSources } from './builtin-line.api.js';

export class SourceRecord {
  @Field({ type: 'string', enum: builtinSources }) source!: string;
  @Field({ type: 'array', items: 'object', description: '{ name, description }' }) events!: readonly object[];
}

@Operation('accountEvents/builtins', {
  summary: 'Lists every built-in event by its source, in plain words.',
  source: 'Account Events API, Endpoints',
  group: 'events',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { list: SourceRecord },
})
export class Builtins {}

export class AppInstall {
  @Field({ type: 'string' }) installId!: string;
  @Field({ type: 'string' }) appName!: string;
}

export class AppSender extends AppInstall {
  @Field({ type: 'array', items: 'string', description: 'app.<name>' }) events!: readonly string[];
}

@Operation('accountEvents/appEvents', {
  summary: 'Lists the events that installed apps sent in the last 30 days, by app.',
  source: 'Account Events API, Endpoints',
  group: 'app-events',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: { list: AppSender },
})
export class AppEvents {}

@Operation('accountEvents/appEventInstalls', {
  summary:
    'Returns the installed apps that a trigger on an app event can be for, and the one picked when none is named.',
  source: 'Account Events API, Endpoints',
  group: 'app-events',
  effect: 'query',
  permission: 'functions.read',
  tools: 'granted',
  answers: {
    fields: {
      installs: { type: 'array', items: () => AppInstall },
      picked: { type: 'string', nullable: true, description: 'An installId.' },
    },
  },
})
export class AppEventInstalls {
  @Field({ type: 'string', minLength: 5, maxLength: 100, pattern: /^app\..+/, description: 'app.<name>' })
  event!: string;
}

const listed = builtinSources.map((source) => ({ source, events: eventsOf(source) }));

/** Several lines of the table can describe the same event. */
function eventsOf(source: string): readonly object[] {
  const own = builtins.filter(({ name }) => name.startsWith(`${source}.`));
  return [...new Map(own.map(({ name, description }) => [name, { name, description }])).values()];
}

/** There are no installed apps, so the list is empty and no app can be selected. */
export const builtinHandlers = [
  answers(Builtins, async () => listed),
  answers(AppEvents, async () => []),
  answers(AppEventInstalls, async () => ({ installs: [], picked: null })),
];
