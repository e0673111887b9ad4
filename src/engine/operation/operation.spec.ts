import { describe, expect, it } from '@jest/globals';
import { Field } from '../../kernel/field/field.js';
import { findOperation, type OperationSpec, registerOperation, success } from './operation.js';

const spec = {
  summary: 'Does something.',
  source: 'a test',
  group: 'things',
  effect: 'command',
  permission: 'functions.edit',
  tools: 'never',
  answers: success,
} as const satisfies OperationSpec;

function saidOf(name: string, more: object): string | undefined {
  try {
    registerOperation(`declared/${name}`, { ...spec, ...more }, class {});
    return undefined;
  } catch (error) {
    return String(error);
  }
}

describe('an operation', () => {
  it.each([undefined, null, 'free', true])('must declare who has it as a tool; %p does not', (tools) => {
    expect(saidOf('unsaid', { tools })).toBe(
      'Error: The operation declared/unsaid does not declare who can have it as a tool; its `tools` must be one of: never, agents, granted.',
    );
    expect(findOperation('declared/unsaid')).toBeUndefined();
  });

  it('is no tool if neither functions nor agents can have its right', () => {
    expect(saidOf('high', { tools: 'granted', permission: 'keys.manage' })).toContain('needs the right keys.manage');
    expect(saidOf('highNever', { permission: 'keys.manage' })).toBeUndefined();
  });

  it.each([
    ['granted', ['person', 'agent'], 'leave out: automation'],
    ['granted', ['person'], 'leave out: agent, automation'],
    ['agents', ['person', 'automation'], 'leave out: agent'],
  ])('is no tool (%s) for those whom its callers exclude: %p', (tools, callers, said) => {
    expect(saidOf('shut', { tools, callers })).toContain(said);
  });

  it.each([
    ['granted', ['agent', 'automation']],
    ['granted', undefined],
    ['agents', ['person', 'agent']],
    ['never', ['person']],
  ])('may be declared as %s for %p', (tools, callers) => {
    expect(saidOf(`right_${tools}_${callers?.length}`, { tools, callers })).toBeUndefined();
  });

  it('that changes sent fields declares no default, which clients would send', () => {
    class Sent {}
    Field({ type: 'boolean', optional: true, default: false })(Sent.prototype, 'isActive');
    const declare = (name: `${string}/${string}`) => registerOperation(name, spec, Sent);
    expect(() => declare('declared/updateThing')).toThrow('declares a default of `isActive`');
    expect(() => declare('declared/setThing')).toThrow('declares a default of `isActive`');
    expect(() => declare('declared/createThing')).not.toThrow();
  });

  it('that is a query has no effect outside', () => {
    expect(saidOf('asks', { effect: 'query', outside: ['sends mail'] })).toContain('is a query, which has no effect');
    expect(saidOf('sends', { outside: ['sends mail'] })).toBeUndefined();
  });

  it('that requires a project declares that it works within it, and no other does', () => {
    class OfProject {
      @Field({ type: 'string' }) projectId!: string;
    }
    class Filtered {
      @Field({ type: 'string', optional: true }) projectId?: string;
    }
    const declare = (name: string, input: new () => object, more: object) => () =>
      registerOperation(`declared/${name}`, { ...spec, ...more }, input);
    expect(declare('silent', OfProject, {})).toThrow("must declare `within: 'project'`");
    expect(declare('filtered', Filtered, { within: 'project' })).toThrow('does not require a `projectId`');
    declare('said', OfProject, { within: 'project' })();
    declare('free', Filtered, {})();
  });
});
