import { describe, expect, it } from '@jest/globals';
import { refusalOf } from '../../../../test/support/given/given.js';
import { checkedSteps } from './check-steps.js';

const step = (kind: string, settings: object, id = 'one') => ({ id, kind, settings });
const checked = (steps: readonly object[]) => checkedSteps(steps as Parameters<typeof checkedSteps>[0]);

describe('steps', () => {
  it.each<[string, readonly object[], string]>([
    ['an id twice', [step('wait', { seconds: 1 }), step('wait', { seconds: 1 })], 'steps[1].id'],
    ['a setting that nobody knows', [step('wait', { seconds: 1, minutes: 2 })], 'steps[0].settings.minutes'],
    ['a wait for nothing', [step('wait', {})], 'steps[0].settings'],
    ['a wait for two things', [step('wait', { seconds: 1, until: '2030-01-01' })], 'steps[0].settings'],
    ['a wait of more than a year', [step('wait', { seconds: 4e7 })], 'steps[0].settings.seconds'],
    ['a mail without content', [step('send_mail', { to: 'a@b.test', subject: 's' })], 'steps[0].settings.text'],
    [
      'a method that is none',
      [step('http_request', { url: 'http://a.test', method: 'BREW' })],
      'steps[0].settings.method',
    ],
    [
      'a header that is no text',
      [step('http_request', { url: 'http://a.test', headers: { a: {} } })],
      'steps[0].settings.headers.a',
    ],
    [
      'a value of a step that comes later',
      [step('run_function', { function: 'f', params: { a: '{{steps.two.x}}' } }), step('wait', { seconds: 1 }, 'two')],
      'steps[0].settings.params.a',
    ],
    [
      'a value that begins with nothing known',
      [step('run_function', { function: 'f', params: { a: '{{env.X}}' } })],
      'steps[0].settings.params.a',
    ],
    [
      'an expression',
      [step('run_function', { function: 'f', params: { a: '{{1 + 1}}' } })],
      'steps[0].settings.params.a',
    ],
    [
      'a secret in the params of a function',
      [step('run_function', { function: 'f', params: { a: '{{secret:KEY}}' } })],
      'steps[0].settings.params.a',
    ],
    [
      'a secret in a mail',
      [step('send_mail', { to: 'a@b.test', subject: 's', text: '{{secret:KEY}}' })],
      'steps[0].settings.text',
    ],
    [
      'a secret in an event',
      [step('raise_event', { name: 'x', properties: { a: '{{secret:KEY}}' } })],
      'steps[0].settings.properties.a',
    ],
    [
      'a secret in an address',
      [step('http_request', { url: 'http://a.test/{{secret:KEY}}' })],
      'steps[0].settings.url',
    ],
    [
      'a secret in a body that is a text',
      [step('http_request', { url: 'http://a.test', body: '{{secret:KEY}}' })],
      'steps[0].settings.body',
    ],
    [
      'two secrets in one text',
      [step('http_request', { url: 'http://a.test', headers: { a: '{{secret:A}}{{secret:B}}' } })],
      'steps[0].settings.headers.a',
    ],
    ['a condition without filters', [step('condition', { filters: [] })], 'steps[0].settings.filters'],
    [
      'an operator that is none',
      [step('condition', { filters: [{ field: 'input.a', op: 'like', value: 'x' }] })],
      'steps[0].settings.filters[0].op',
    ],
    [
      'an operand that does not fit',
      [step('condition', { filters: [{ field: 'input.a', op: 'in', value: 'x' }] })],
      'steps[0].settings.filters[0].value',
    ],
    [
      'a field that is no path',
      [step('condition', { filters: [{ field: 'a b', op: 'isEmpty' }] })],
      'steps[0].settings.filters[0].field',
    ],
    [
      'a jump back',
      [
        step('wait', { seconds: 1 }, 'first'),
        step('condition', { filters: [{ field: 'input.a', op: 'isEmpty' }], otherwise: 'goto', goto: 'first' }),
      ],
      'steps[1].settings.goto',
    ],
    [
      'a jump nowhere',
      [step('condition', { filters: [{ field: 'input.a', op: 'isEmpty' }], otherwise: 'goto' })],
      'steps[0].settings.goto',
    ],
    ['more than 50', Array.from({ length: 51 }, (_, at) => step('wait', { seconds: 1 }, `s${at}`)), 'steps'],
    ['more than 256 KB', [step('run_function', { function: 'f', params: { a: 'x'.repeat(262_144) } })], 'steps'],
  ])('are refused with %s', (_, steps, path) => {
    const { code, facts } = refusalOf(() => checked(steps));
    expect(code).toBe('invalid-input');
    expect(facts.errors?.map((error) => error.path)).toEqual([path]);
  });

  it('are stored complete: with a name, and all default settings', () => {
    expect(
      checked([
        step('run_function', { function: 'f' }),
        step('http_request', { url: 'http://a.test' }, 'two'),
        step('wait', { seconds: 1 }, 'three'),
      ]),
    ).toEqual([
      { id: 'one', name: 'one', kind: 'run_function', settings: { function: 'f', params: {} } },
      {
        id: 'two',
        name: 'two',
        kind: 'http_request',
        settings: { method: 'GET', url: 'http://a.test', headers: {}, query: {}, failOnStatus: true },
      },
      { id: 'three', name: 'three', kind: 'wait', settings: { seconds: 1 } },
    ]);
  });
});
