import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../../kernel/json/json.js';
import type { FlowFilter, FlowStep } from '../flow/flow.record.js';
import { afterCondition, flowBeginning, flowStepAt, nextFlowStep, valuesOf, withOutput } from './flow-state.js';

const wait = (id: string): FlowStep => ({ id, name: id, kind: 'wait', settings: { seconds: 1 } });
const when = (filters: readonly FlowFilter[], goto: string | null = null) => ({ filters, goto });
const condition = (settings: ReturnType<typeof when>): FlowStep => ({
  id: 'c',
  name: 'c',
  kind: 'condition',
  settings,
});

describe('the state of a run', () => {
  it('goes through the steps in order and ends', () => {
    const first = flowBeginning([wait('a'), wait('b')], {});
    const second = withOutput(first, { n: 1 });
    if (second === undefined) throw new Error('It was too much.');
    const third = withOutput(second, null);
    expect([nextFlowStep(first), nextFlowStep(second), third && nextFlowStep(third)]).toEqual([
      { step: { id: 'a', name: 'a' } },
      { step: { id: 'b', name: 'b' } },
      { end: { error: null } },
    ]);
    expect(third?.outputs).toEqual({ a: { n: 1 }, b: null });
  });

  it('stores 4 MB of results and no more', () => {
    const state = flowBeginning([wait('a'), wait('b')], {});
    const half = withOutput(state, 'x'.repeat(2 * 1024 * 1024));
    if (half === undefined) throw new Error('It was too much.');
    expect(withOutput(half, 'x'.repeat(2 * 1024 * 1024))).toBeUndefined();
  });

  const total = (op: FlowFilter['op'], value: number) => when([{ field: 'input.total', op, value }]);
  it.each<[string, ReturnType<typeof when>, boolean]>([
    ['more than', total('gt', 10), true],
    ['not more than', total('gt', 12), false],
    ['all of several', when([...total('gt', 10).filters, ...total('lt', 12).filters]), false],
    ['a step’s value', when([{ field: 'steps.before.status', op: 'eq', value: 200 }]), true],
    ['an entry of a list', when([{ field: 'input.list[1].a', op: 'eq', value: 'b' }]), true],
    ['what is not there', when([{ field: 'input.gone', op: 'isEmpty' }]), true],
    ['what every object has', when([{ field: 'input.constructor', op: 'isNotEmpty' }]), false],
  ])('a condition: %s', (_, settings, met) => {
    const input = { total: 12, list: [{}, { a: 'b' }] };
    const state = {
      ...flowBeginning([condition(settings), wait('b')], input),
      outputs: { before: { status: 200 } as Json },
    };
    const after = afterCondition(state, settings, valuesOf(state, input, 'run_1'));
    expect([after.outputs['c'], after.at, after.stoppedBy]).toEqual([{ met }, met ? 1 : 0, met ? null : 'c']);
  });

  it('continues with a later step if the condition names one, and never with an earlier one', () => {
    const never = (goto: string) => when([{ field: 'input.gone', op: 'isNotEmpty' }], goto);
    const steps = [wait('a'), condition(never('d')), wait('b'), wait('d')];
    const state = { ...flowBeginning(steps, {}), at: 1 };
    expect(flowStepAt(afterCondition(state, never('d'), {})).id).toBe('d');
    expect(afterCondition(state, never('a'), {})).toMatchObject({ at: 1, stoppedBy: 'c' });
    expect(nextFlowStep(afterCondition(state, never('a'), {}))).toEqual({
      end: { error: null, note: { stoppedBy: 'c' } },
    });
  });
});
