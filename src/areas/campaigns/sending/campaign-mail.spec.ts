import { describe, expect, it, test } from '@jest/globals';
import { writeCampaign } from './campaign-mail.js';

const texts = { subject: 'News', html: '<p>{{userName}}</p>', text: '{{userName}}', appName: 'Tea & Co' };
const ada = { email: 'ada@example.org', name: 'Ada', customFields: { plan: 'pro', userEmail: 'spoofed' } };
const link = 'https://example.com/u?a=1&b=2';

describe('the mail of a campaign', () => {
  it('is filled for one recipient, once, with built-in values before custom fields', () => {
    const words = '{{userEmail}} {{plan}} {{unsubscribeUrl}}';
    const mail = writeCampaign({ ...texts, subject: words, text: words }, { ...ada, name: '{{plan}}' }, link);
    expect(mail.subject).toBe(`ada@example.org pro ${link}`);
    expect(mail.text).toMatch(/^ada@example\.org pro https:\/\/example\.com\/u\?a=1&b=2\n\n-- \n/);
    expect(mail.html).toContain('<p>{{plan}}</p>');
  });

  it('has a subject even if the values leave none', () => {
    expect(writeCampaign({ ...texts, subject: '{{nothing}}' }, ada, link).subject).toBe('Tea & Co');
  });

  test.each([
    ['<p>a</p>', '<p>a</p>|'],
    ['<html><body><p>a</p></body></html>', '<html><body><p>a</p>|</body></html>'],
    ['<BODY>a</BODY>\n</HTML>\n', '<BODY>a|</BODY>\n</HTML>\n'],
    ['<p>a</p></body><!-- </body> -->', '<p>a</p></body><!-- </body> -->|'],
  ])('has its footer where it is visible: %s', (html, expected) => {
    const written = writeCampaign({ ...texts, html }, ada, link).html;
    expect(written.replace(/<div style=.*<\/div>/, '|')).toBe(expected);
    expect(written).toContain('as a user of Tea &amp; Co. <a href="https://example.com/u?a=1&amp;b=2"');
  });
});
