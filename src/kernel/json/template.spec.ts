import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyJsonObject } from '../../../test/support/any-json.js';
import type { Json, JsonObject } from './json.js';
import { fillJson, fillTemplate, readTemplate, TemplateWithoutValue, textOf } from './template.js';

const values: JsonObject = {
  input: { name: 'Ada', list: [{ sum: 12 }], 'odd name': true, nothing: null },
  steps: { one: { status: 200 } },
};
const filled = (text: string) => fillTemplate(text, { values });

describe('a text with values', () => {
  it.each<[string, Json]>([
    ['no value', 'no value'],
    ['Dear {{input.name}},', 'Dear Ada,'],
    ['{{ input.list[0].sum }}', 12],
    ['Sum {{input.list[0].sum}} of {{steps.one.status}}', 'Sum 12 of 200'],
    ['{{input.list}}', [{ sum: 12 }]],
    ['a {{input.list}}', 'a [{"sum":12}]'],
    ['{{input["odd name"]}}', true],
    ['a{{input.nothing}}b', 'ab'],
    ['{{input.nothing}}', null],
    ['{{"{{"}}input.name}}', '{{input.name}}'],
    ['}} {', '}} {'],
  ])('fills the template %s', (text, expected) => {
    expect(filled(text)).toEqual(expected);
  });

  it.each([
    '{{input.gone}}',
    '{{input.list[7]}}',
    '{{input.name.length}}',
    '{{input.constructor}}',
    '{{input.__proto__}}',
  ])('%s has no value', (text) => {
    expect(() => filled(text)).toThrow(TemplateWithoutValue);
  });

  it.each([
    '{{',
    '{{}}',
    '{{input.}}',
    '{{input[}}',
    '{{1+1}}',
    '{{input.a()}}',
    '{{secret:lower}}',
    '{{input.a',
    '{{"a}}',
  ])('refuses the template %s', (text) => {
    expect(readTemplate(text).ok).toBe(false);
  });

  it('passes a secret to the filler, with the text around it', () => {
    const secret = (name: string, before: string, after: string) => ({ name, before, after });
    expect(fillTemplate('Bearer {{secret:TOKEN}} {{input.name}}', { values, secret })).toEqual({
      name: 'TOKEN',
      before: 'Bearer ',
      after: ' Ada',
    });
  });
});

describe('for any values', () => {
  it('one that is a whole text keeps its type, and one in a longer text is converted', () => {
    fc.assert(
      fc.property(anyJsonObject as fc.Arbitrary<JsonObject>, (value) => {
        const of = { values: { input: { value } } };
        expect(fillTemplate('{{input.value}}', of)).toEqual(value);
        expect(fillTemplate('<{{input.value}}>', of)).toBe(`<${textOf(value)}>`);
      }),
    );
  });

  it('filled-in text is never parsed again', () => {
    fc.assert(
      fc.property(fc.constantFrom('{{secret:TOKEN}}', '{{input.other}}', '{{"x"}}', '{{'), (value) => {
        expect(fillTemplate('a {{input.value}}', { values: { input: { value, other: 'read' } } })).toBe(`a ${value}`);
      }),
    );
  });

  it('a text of any kind is parsed or refused, and texts without {{ do not change', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = readTemplate(text);
        if (text.includes('{{')) return;
        expect(read.ok).toBe(true);
        expect(fillJson({ a: [text] }, { values: {} })).toEqual({ a: [text] });
      }),
    );
  });
});
