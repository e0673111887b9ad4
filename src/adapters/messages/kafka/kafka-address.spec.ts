import { describe, expect, it } from '@jest/globals';
import { readKafkaAddress } from './kafka-address.js';

describe('the address of Kafka', () => {
  it.each([
    ['kafka:9092', { brokers: ['kafka:9092'], ssl: false }],
    ['a:1, b:2 ,[::1]:3', { brokers: ['a:1', 'b:2', '[::1]:3'], ssl: false }],
    ['kafka://a:1,b:2', { brokers: ['a:1', 'b:2'], ssl: false }],
    ['kafkas://a:1,b:2/', { brokers: ['a:1', 'b:2'], ssl: true }],
    [
      'kafkas://ann:p%40ss%3Aw%2Frd@a:1,b:2?mechanism=scram-sha-512',
      {
        brokers: ['a:1', 'b:2'],
        ssl: true,
        sasl: { mechanism: 'scram-sha-512', username: 'ann', password: 'p@ss:w/rd' },
      },
    ],
    [
      'ann:pass:word@a:1',
      { brokers: ['a:1'], ssl: false, sasl: { mechanism: 'plain', username: 'ann', password: 'pass:word' } },
    ],
  ])('%s', (text, address) => {
    expect(readKafkaAddress(text)).toEqual(address);
  });

  it.each([
    '',
    'kafka',
    'kafka:port',
    'kafka:0',
    'kafka:99999',
    'http://hunter2@a:1',
    'kafkas://ann:hunter2@a',
    'kafkas://ann@hunter2:9092x',
    'kafkas://ann:hunter2%zz@a:1',
    'kafkas://ann:hunter2@a:1?mechanism=hunter2',
    'kafkas://ann:hunter2@a:1?hunter2=1',
    'kafkas://ann:hunter2@a:1?ca=/hunter2/nowhere',
    'a:1,,b:2',
  ])('%j is refused in a sentence that shows nothing of it', (text) => {
    expect(() => readKafkaAddress(text)).toThrow(/KAFKA_BROKERS/);
    expect(() => readKafkaAddress(text)).not.toThrow(/hunter2/);
  });
});
