import { asFileName, asOneLine } from './one-line.js';

describe('one line', () => {
  it.each([
    ['An order ✓', 'An order ✓'],
    ['An order\r\nBcc: all@example.com', 'An order Bcc: all@example.com'],
    ['\0\t a\u2028b\u202ec\ud800 ', 'a b c'],
    ['  as it is  ', '  as it is  '],
    ['', ''],
  ])('makes one line of %j', (text, line) => {
    expect(asOneLine(text)).toBe(line);
  });
});

describe('a file name', () => {
  it.each([
    ['plan.pdf', 'plan.pdf'],
    ['../\0\r\nX', 'X'],
    ['/etc/passwd', 'passwd'],
    ['C:\\Users\\Ada\\plan.pdf', 'plan.pdf'],
    ['a/b\\../c.txt', 'c.txt'],
    ['..', ''],
    ['a/..', ''],
    ['\0.\0.', '. .'],
    ['.env', '.env'],
    ['annual\u202efdp.exe', 'annual fdp.exe'],
    ['folder/', ''],
  ])('makes a file name of %j', (text, name) => {
    expect(asFileName(text)).toBe(name);
  });
});
