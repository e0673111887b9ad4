import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../../test/support/depth.js';
import { unfinishedMarkup } from './html-tokens.js';
import { textOfHtml } from './text-of-html.api.js';

describe('the unclosed context in HTML', () => {
  test.each([
    ['<p>Hello', undefined],
    ['', undefined],
    ['1 < 2 <3 and <', undefined],
    ['<!-- a --><p>b</p>', undefined],
    ['<p title="a > b">c</p>', undefined],
    ["<style>p > a { content: '<' }</style>", undefined],
    ['<STYLE></style>', undefined],
    ['<p><!-- never closed', 'a comment'],
    ['<p><!-- </body></html>', 'a comment'],
    ['<p title="', 'a tag'],
    ['</p', 'a tag'],
    ['<style>p {', 'the element <style>'],
    ['<TextArea>Hello</p>', 'the element <textarea>'],
    ['<plaintext>', 'the element <plaintext>'],
  ])('the unclosed context of %s is %s', (html, what) => {
    expect(unfinishedMarkup(html)).toBe(what);
  });

  it('is found in time linear in its length, for any HTML', () => {
    const pieces = ['<', '<!--', '-->', '<a href="', '"', "'", '<style>', '</style', '<p>', 'x', ' ', '</body>', 'İ'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (some) => {
        const html = some.join('');
        expect(typeof textOfHtml(html)).toBe('string');
        const what = unfinishedMarkup(html);
        // Adding a footer to complete markup must not make it incomplete.
        if (what === undefined) expect(unfinishedMarkup(`${html}<p>footer</p>`)).toBeUndefined();
      }),
      { numRuns: runs(2_000) },
    );
    for (const piece of pieces) expect(typeof textOfHtml(piece.repeat(50_000))).toBe('string');
  });
});

describe('the words of HTML', () => {
  test.each([
    ['<p>Hello <b>you</b></p><p>Good&nbsp;day</p>', 'Hello you\n\nGood day'],
    ['a<br>b<br/>c', 'a\nb\nc'],
    ['<ul><li>one</li><li>two</li></ul>', '- one\n\n- two'],
    ['<a href="https://example.com/?a=1&amp;b=2">Shop</a>', 'Shop (https://example.com/?a=1&b=2)'],
    ['<a href="https://example.com">https://example.com</a>', 'https://example.com'],
    ['<a href="#top">Up</a>', 'Up'],
    ['<head><title>No</title><style>p{}</style></head><body>Yes</body>', 'Yes'],
    ['&lt;i&gt; &#233;&#xe9; &amp;amp; &unknown; &#xd800;', '<i> éé &amp; &unknown;'],
    ['<!-- no -->Dear {{userName}}', 'Dear {{userName}}'],
    ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\n\nc'],
  ])('the words of %s are %j', (html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });
});
