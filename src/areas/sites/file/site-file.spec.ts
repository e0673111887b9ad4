import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/given/given.js';
import { sameMediaType, wrongContentType, wrongFileSize, wrongSiteFileName } from './file-rules.api.js';
import { beginFile, deleteFile, giveUpFile, storeFile } from './site-file.js';
import { type SiteFileEvent, siteFiles } from './site-file.record.js';

const facts = { projectId: 'proj_1', name: 'invoices/7.pdf', contentType: 'application/pdf', size: 3 };
const begun: SiteFileEvent = { type: 'SiteFileBegun', data: { ...facts, bytesId: 'bytes_1' } };
const stored: SiteFileEvent = { type: 'SiteFileStored', data: {} };
const deleted: SiteFileEvent = { type: 'SiteFileDeleted', data: { projectId: 'proj_1', bytesId: 'bytes_1' } };

describe('an upload', () => {
  it('begins once', () => {
    given().when(beginFile, undefined, facts, 'bytes_1').emits(begun);
    given(siteFiles, [begun]).when(beginFile, facts, 'bytes_2').refuses('upload-link-used');
    given(siteFiles, [begun, stored]).when(beginFile, facts, 'bytes_2').refuses('upload-link-used');
  });

  it('is stored once, with the bytes that it began with', () => {
    given(siteFiles, [begun]).when(storeFile, 'bytes_1').emits(stored);
    given(siteFiles, [begun, stored]).when(storeFile, 'bytes_1').emitsNothing();
    given(siteFiles, [begun]).when(storeFile, 'bytes_2').refuses('site-file-not-found');
    given().when(storeFile, undefined, 'bytes_1').refuses('site-file-not-found');
  });

  it('can be given up while it is in progress, but not once it is stored or replaced', () => {
    given(siteFiles, [begun]).when(giveUpFile, 'bytes_1').emits(deleted);
    given(siteFiles, [begun, stored]).when(giveUpFile, 'bytes_1').emitsNothing();
    given(siteFiles, [begun]).when(giveUpFile, 'bytes_2').emitsNothing();
    given().when(giveUpFile, undefined, 'bytes_1').emitsNothing();
  });

  it('is deleted with its bytes', () => {
    given(siteFiles, [begun, stored]).when(deleteFile).emits(deleted);
  });
});

describe('a file', () => {
  it.each(['a', 'invoices/2026/7.pdf', 'Größe 1.png', '..a', 'x'.repeat(255)])('may be named %j', (name) => {
    expect(wrongSiteFileName(name)).toBeUndefined();
  });

  it.each([
    ['', 'must have 1 to 255 characters'],
    ['x'.repeat(256), 'must have 1 to 255 characters'],
    [' a', 'must be one line without spaces at its ends'],
    ['a\nb', 'must be one line without spaces at its ends'],
    ['../a', 'must be a name, optionally after folders, with single slashes between them'],
    ['a/./b', 'must be a name, optionally after folders, with single slashes between them'],
    ['a//b', 'must be a name, optionally after folders, with single slashes between them'],
    ['/a', 'must be a name, optionally after folders, with single slashes between them'],
    ['a\\b', 'must be a name, optionally after folders, with single slashes between them'],
  ])('is not named %j', (name, message) => {
    expect(wrongSiteFileName(name)).toBe(message);
  });

  it.each([
    ['image/png', true],
    ['text/html; charset=utf-8', true],
    ['image', false],
    ['text/html; boundary=x', false],
    ['text/html\r\nx: y', false],
  ])('of the content type %j: %p', (contentType, fits) => {
    expect(wrongContentType(contentType) === undefined).toBe(fits);
  });

  it('has at most 25 MB', () => {
    expect([0, 26_214_400].map(wrongFileSize)).toEqual([undefined, undefined]);
    expect([-1, 1.5, Number.NaN].map(wrongFileSize)).toEqual(Array(3).fill('must be a whole number of bytes'));
    expect(wrongFileSize(26_214_401)).toContain('25 MB');
  });

  it('has the same media type with any parameters', () => {
    expect(sameMediaType('Text/HTML; charset=utf-8', 'text/html')).toBe(true);
    expect(sameMediaType('text/html', 'text/plain')).toBe(false);
  });
});
