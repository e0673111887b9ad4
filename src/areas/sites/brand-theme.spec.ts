import { describe, expect, it, test } from '@jest/globals';
import type { JsonObject } from '../../kernel/json/json.js';
import { themeOf } from './brand-theme.js';

const theme = (brandKit: JsonObject | null) => themeOf({ color: '#2563EB', brandKit });
const ofColor = (value: unknown) => theme({ colors: { one: value as string } }).tokens['color-one'];

describe('the theme of a site', () => {
  it('has its colors, fonts and radius, and its own color', () => {
    const brandKit = {
      colors: { sea: '#08f' },
      fonts: { title: '"Playfair Display", serif' },
      radius: '0.5rem',
      logo: 'x',
    };
    expect(theme(brandKit)).toEqual({
      tokens: {
        'color-brand': '#2563EB',
        'color-sea': '#08f',
        'font-title': '"Playfair Display", serif',
        radius: '0.5rem',
      },
      wrong: [],
    });
    expect(theme(null).tokens).toEqual({ 'color-brand': '#2563EB' });
  });

  test.each([
    'red',
    '#12345678',
    'rgb(1, 2, 3)',
    'rgb(10% 20% 30% / 50%)',
    'hsl(120deg 50% 50%)',
    'oklch(0.7 0.1 200)',
    'color(display-p3 1 0.5 0)',
  ])('takes the color %s', (value) => expect(ofColor(value)).toBe(value));

  test.each([
    'red; } body { display: none',
    'url(https://example.com/x)',
    'var(--x)',
    'rgb(1, 2)',
    'rgb(1, 2, 3',
    'expression(1)',
    '#12',
    '',
    '</style>',
    7,
    null,
  ])('leaves out %j, and reports it', (value) => {
    expect(ofColor(value)).toBeUndefined();
    expect(theme({ colors: { one: value } }).wrong).toEqual([expect.stringContaining('brandKit.colors.one')]);
  });

  test.each([
    [{ fonts: { title: 'a{}' } }],
    [{ fonts: 'Inter' }],
    [{ colors: [] }],
    [{ colors: { 'a b': 'red' } }],
    [{ radius: 'big' }],
    [{ radius: 4 }],
  ])('of %j leaves that out', (brandKit) => {
    expect(theme(brandKit as JsonObject).tokens).toEqual({ 'color-brand': '#2563EB' });
    expect(theme(brandKit as JsonObject).wrong).toHaveLength(1);
  });

  it('takes linear time with hostile values', () => {
    for (const value of ['rgb('.padEnd(199, '1 '), `rgb(${'1'.repeat(190)}`, `"${'a '.repeat(90)}`]) {
      expect(theme({ colors: { a: value }, fonts: { b: value }, radius: value }).wrong).toHaveLength(3);
    }
  });
});
