import { registerOperation, success } from '../../../src/engine/operation/operation.js';
import { Field } from '../../../src/kernel/field/field.js';
import type { Document } from '../../../src/kernel/record/projection.js';
import type { Undoing } from '../../../src/kernel/record/undoing.js';

const declared = {
  summary: 'Changes something.',
  source: 'A test',
  group: 'things',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'never',
  answers: success,
} as const;
const idField = { type: 'string' } as const;

class Rules {
  @Field({ type: 'string', optional: true, nullable: true }) who?: string | null;
  @Field({ type: 'object', optional: true }) by?: object;
}
export class Update {
  @Field(idField) id!: string;
  @Field({ type: 'string', optional: true }) name?: string;
  @Field({ type: 'string', optional: true }) description?: string;
  @Field({ type: 'string', enum: ['up', 'down'], optional: true }) way?: string;
  @Field({ type: 'string', pattern: /^#/, optional: true }) color?: string;
  @Field({ type: 'integer', optional: true, nullable: true }) size?: number | null;
  @Field({ type: 'object', optional: true }) paths?: object;
  @Field({ type: 'object', shape: () => Rules, optional: true }) rules?: Rules;
  @Field({ type: 'object', shape: () => Rules, optional: true, nullable: true }) tool?: Rules | null;
  @Field({ type: 'array', items: 'object', optional: true }) fields?: object[];
  @Field({ type: 'string', optional: true }) seenUpdatedAt?: string;
}
registerOperation('spec/update', declared, Update);
export class UpdateSettings {
  @Field({ type: 'boolean', optional: true }) loud?: boolean;
}
registerOperation('spec/updateSettings', declared, UpdateSettings);
export class SwitchInProject {
  @Field(idField) projectId!: string;
  @Field(idField) boxId!: string;
  @Field({ type: 'boolean' }) isActive!: boolean;
}
registerOperation('spec/switchInProject', { ...declared, within: 'project' }, SwitchInProject);
export class Switch {
  @Field(idField) id!: string;
  @Field({ type: 'boolean' }) isActive!: boolean;
  @Field({ type: 'integer' }) seenVersion!: number;
}
registerOperation('spec/switch', declared, Switch);
export class Make {}
registerOperation('spec/make', declared, Make);
export class End {
  @Field(idField) projectId!: string;
  @Field({ type: 'string' }) code!: string;
}
registerOperation('spec/end', { ...declared, within: 'project' }, End);

/** How changes of boxes are undone. Boxes are a kind of record that only specs declare. */
export const undoing: Undoing<Document> = {
  sets: [
    { operation: 'spec/update', merges: ['paths'], leaves: ['fields'] },
    { operation: 'spec/updateSettings', of: 'settings' },
    'spec/switchInProject',
    'spec/switch',
  ],
  makes: 'spec/make',
  ends: 'spec/end',
  returns: { type: 'BoxRestored' },
  otherwise: 'Do it by hand.',
};
export const box = {
  code: 'one',
  name: 'Box',
  description: '' as string | null,
  way: 'up' as string | null,
  color: '#fff' as string | null,
  size: 1 as number | null,
  paths: {},
  tool: {} as object | null,
  rules: { who: 'all' as string | null, by: null as object | null },
  fields: [] as readonly object[],
  isActive: true,
  settings: { loud: true },
  updatedAt: 'then',
  version: 3,
};
export const changed = (change: Partial<typeof box>) => ({ ...box, ...change });

export class GiveBack {
  @Field(idField) boxId!: string;
  @Field(idField) id!: string;
  @Field({ type: 'integer', optional: true }) before?: number;
}
registerOperation('spec/giveBack', { ...declared }, GiveBack);
export class TakeAway {
  @Field(idField) boxId!: string;
  @Field(idField) id!: string;
}
registerOperation('spec/takeAway', { ...declared }, TakeAway);
