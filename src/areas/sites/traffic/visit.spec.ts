import { describe, expect, it } from '@jest/globals';
import { deviceOf, isBot, referrerOf, visitedPath } from './visit.js';

const agents = {
  chrome:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  linux: 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
  mac: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
  iphone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
  android: 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/131.0.0.0 Mobile Safari/537.36',
  cubot: 'Mozilla/5.0 (Linux; Android 9; CUBOT X20) AppleWebKit/537.36 Chrome/131.0.0.0 Mobile Safari/537.36',
  androidTablet: 'Mozilla/5.0 (Linux; Android 14; SM-X900) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36',
  ipad: 'Mozilla/5.0 (iPad; CPU OS 15_0 like Mac OS X) AppleWebKit/605.1.15 Version/15.0 Mobile/15E148 Safari/604.1',
  google: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
};

describe('a visit', () => {
  it("has a device derived from the browser's user agent", () => {
    const { chrome, linux, mac, iphone, android, cubot, androidTablet, ipad } = agents;
    expect([chrome, linux, mac].map(deviceOf)).toEqual(['desktop', 'desktop', 'desktop']);
    expect([iphone, android, cubot].map(deviceOf)).toEqual(['mobile', 'mobile', 'mobile']);
    expect([androidTablet, ipad].map(deviceOf)).toEqual(['tablet', 'tablet']);
    expect(['', 'curl/8.0', 'node'].map(deviceOf)).toEqual(['other', 'other', 'other']);
  });

  it('is not counted for a declared bot', () => {
    const { google, ...people } = agents;
    const others = [
      'bingbot/2.0',
      'Baiduspider',
      'facebookexternalhit/1.1',
      'YandexBot',
      'some-crawler',
      'Yahoo! Slurp',
    ];
    expect([google, ...others].filter((agent) => !isBot(agent))).toEqual([]);
    expect(Object.values(people).filter(isBot)).toEqual([]);
  });

  it.each([
    ['/shop?token=secret#part', '/shop'],
    ['/', '/'],
    ['/<script>alert(1)</script>', '/<script>alert(1)</script>'],
    ['/a\u0000b\u202Ec\nd', '/a\uFFFDb\uFFFDc\uFFFDd'],
    [`/${'ü'.repeat(400)}`, `/${'ü'.repeat(249)}`],
    [`/${'🙂'.repeat(200)}`, `/${'🙂'.repeat(124)}`],
    ['shop', undefined],
    ['https://example.com/', undefined],
    ['', undefined],
  ])('of the path %j is counted as %j', (sent, path) => {
    expect(visitedPath(sent)).toBe(path);
  });

  it.each([
    ['https://News.example.org/a?q=1', 'news.example.org'],
    ['https://shop.example.com/about', null],
    ['https://user:pass@other.example/', 'other.example'],
    ['android-app://com.example/', null],
    ['javascript:alert(1)', null],
    ['not an address', null],
    ['', null],
    [null, null],
    [undefined, null],
  ])('from %j has the referrer %j', (sent, host) => {
    expect(referrerOf(sent, ['shop.example.com'])).toBe(host);
  });
});
