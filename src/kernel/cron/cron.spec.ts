import { describe, expect, test } from '@jest/globals';
import { readCron } from './cron.js';

const wrongOf = (text: string) => {
  const read = readCron(text);
  return 'wrong' in read ? read.wrong : undefined;
};

describe('a cron expression', () => {
  test.each([
    '* * * * *',
    '  */15   0-6/2  1,15  *  MON-FRI ',
    '0 0 1 jan *',
    '59 23 31 12 7',
    '0 0 29 2 *',
    '0 0 31 2 1',
    '0 0 31 2 0-6',
  ])('%s is accepted', (text) => {
    expect(wrongOf(text)).toBeUndefined();
  });

  test.each([
    ['', 'five fields'],
    ['* * * *', 'five fields'],
    ['* * * * * *', 'five fields'],
    ['@hourly', 'five fields'],
    ['60 * * * *', "the minute '60'"],
    ['*/0 * * * *', "the minute '*/0'"],
    ['5/10 * * * *', "the minute '5/10'"],
    ['-1 * * * *', "the minute '-1'"],
    ['1,,2 * * * *', "the minute '1,,2'"],
    ['* 24 * * *', "the hour '24'"],
    ['* 5-1 * * *', "the hour '5-1'"],
    ['* * 0 * *', "the day of month '0'"],
    ['* * L * *', "the day of month 'L'"],
    ['* * 15W * *', "the day of month '15W'"],
    ['* * ? * *', "the day of month '?'"],
    ['* * * 13 *', "the month '13'"],
    ['* * * MON *', "the month 'MON'"],
    ['* * * * 8', "the day of week '8'"],
    ['* * * * 5#2', "the day of week '5#2'"],
    ['* * * * +1', "the day of week '+1'"],
    ['* * * * JAN', "the day of week 'JAN'"],
    ['0 0 31 2 *', 'dates that occur in no year'],
    ['0 0 30,31 2 *', 'dates that occur in no year'],
    ['0 0 31 4,6,9,11 *', 'dates that occur in no year'],
  ])("'%s' is invalid, with the reason in a sentence", (text, why) => {
    expect(wrongOf(text)).toContain(why);
  });
});
