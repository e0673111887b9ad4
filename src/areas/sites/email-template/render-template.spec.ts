import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoint } from '../../../../test/support/any-json.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { TemplateTooLarge } from '../../../kernel/json/template.js';
import { escapedHtml } from '../../../kernel/text/escaped-html.js';
import { renderTemplate } from './render-template.api.js';
import type { TemplateVariable } from './template-fields.js';

const render = (content: string, values: JsonObject = {}, variables: readonly TemplateVariable[] = []) =>
  renderTemplate({ subject: null, content, variables }, values);

const unescaped = (html: string) =>
  html.replace(
    /&(lt|gt|quot|#39|amp);/g,
    (_, name: string) => ({ lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' })[name] ?? '',
  );

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
const anyText = fc
  .array(fc.oneof(fc.string({ unit: codePoint }), fc.constantFrom('{{', '}}', '{{a}}', '$&', '$1', '<', '&amp;', '"')))
  .map((parts) => parts.join(''));
const bare = anyText.map((text) => text.replaceAll('{{', '{ '));

describe('a rendered template', () => {
  test.each([
    ['a value', '<p>{{name}}</p>', { name: 'Ada' }, '<p>Ada</p>'],
    ['with blanks', '{{ name }}', { name: 'Ada' }, 'Ada'],
    ['escaped', '<a href="{{link}}">', { link: '"><script>' }, '<a href="&quot;&gt;&lt;script&gt;">'],
    ['a number', '{{n}}', { n: 0 }, '0'],
    ['false', '{{n}}', { n: false }, 'false'],
    ['an object', '{{n}}', { n: { a: 1 } }, '{&quot;a&quot;:1}'],
    ['what looks like a placeholder', '{{a}}', { a: '{{b}}', b: 'x' }, '{{b}}'],
    ['what looks like a pattern', '{{a}}', { a: '$& $1' }, '$&amp; $1'],
    ['braces round something else', '{{1}} {{a-b}} {{}} {a} {{a', {}, '{{1}} {{a-b}} {{}} {a} {{a'],
  ])('has %s', (_, content, values, html) => {
    expect(render(content, values)).toEqual({ subject: '', html, missing: [] });
  });

  test('has the default if there is no value, and nothing if there is neither', () => {
    const variables = [{ name: 'a', default: 'A&B' }, { name: 'b' }, { name: 'n', default: 0 }];
    expect(render('{{a}}|{{b}}|{{n}}|{{other}}', {}, variables)).toEqual({
      subject: '',
      html: 'A&amp;B||0|',
      missing: ['b', 'other'],
    });
    expect(render('{{a}}', { a: null }, variables).html).toBe('A&amp;B');
    expect(render('{{a}}', { a: '' }, variables)).toMatchObject({ html: '', missing: [] });
  });

  test('has no value that was not given', () => {
    expect(render('{{constructor}}{{__proto__}}{{toString}}')).toEqual({
      subject: '',
      html: '',
      missing: ['constructor', '__proto__', 'toString'],
    });
  });

  test('has a subject of one line without HTML escaping', () => {
    const template = { subject: ' Hello {{name}} ', content: '', variables: [] };
    expect(renderTemplate(template, { name: 'A & B\r\nBcc: x@example.com' }).subject).toBe(
      'Hello A & B Bcc: x@example.com',
    );
  });

  test('consists of the texts and the escaped values in turn, for any values', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(bare, name, anyText)), bare, (places, rest) => {
        const values = Object.fromEntries(places.map(([, key, value]) => [key, value]));
        const content = places.map(([text, key]) => `${text}{{${key}}}`).join('') + rest;
        const expected = places.map(([text, key]) => text + escapedHtml(String(values[key]))).join('') + rest;
        expect(render(content, values)).toEqual({ subject: '', html: expected, missing: [] });
      }),
    );
  });

  test('has values that add no markup, and that a mail program shows unchanged', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const { html } = render('{{value}}', { value });
        expect(html).not.toMatch(/[<>"']/);
        expect(unescaped(html)).toBe(value);
      }),
    );
  });

  test('of a text without placeholders is the text', () => {
    fc.assert(
      fc.property(bare, (content) => {
        expect(render(content)).toEqual({ subject: '', html: content, missing: [] });
      }),
    );
  });

  test('is not made if it would be too large', () => {
    expect(() => render('{{a}}'.repeat(1_000), { a: 'x'.repeat(20_000) })).toThrow(TemplateTooLarge);
    expect(render('{{a}}'.repeat(100_000), { a: '<' }).html).toHaveLength(400_000);
  });

  test.each(['{{', '{{ ', '{{a', '{{a}', '{ {', '}}', '{{a }'])('is made of megabytes of %j', (part) => {
    const content = part.repeat(2_000_000 / part.length);
    expect(render(content).html).toBe(content);
  });
});
