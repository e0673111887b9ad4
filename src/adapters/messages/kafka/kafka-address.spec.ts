import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Authority } from '../../../../test/support/egress/certificates.js';
import { readKafkaAddress } from './kafka-address.js';

describe('the address of Kafka', () => {
  it.each([
    ['kafka:9092', { brokers: ['kafka:9092'], ssl: false }],
    ['a:1, b:2 ,127.0.0.1:3', { brokers: ['a:1', 'b:2', '127.0.0.1:3'], ssl: false }],
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
  ])('reads "%s"', (text, address) => {
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
    'kafkas://ann:hunter2@a:1?ca=/dev/null',
    'kafkas://ann:hunter2@a:1?cert=/dev/null',
    'kafkas://ann:hunter2@a:1?cert=/dev/null&key=/dev/null',
    'kafka://ann:hunter2@a:1?ca=/dev/null',
    'kafkas://a:1?mechanism=hunter2',
    'ann:hunter2@[::1]:9092',
  ])('%j is refused with an error that shows nothing of it', (text) => {
    expect(() => readKafkaAddress(text)).toThrow(/KAFKA_BROKERS/);
    expect(() => readKafkaAddress(text)).not.toThrow(/hunter2/);
  });
});

describe('the files that the address of Kafka names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kafka-address-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const authority = new Authority('Brokers');
  const [ours, other] = [authority.issue({ hosts: ['client'] }), authority.issue({ hosts: ['other'] })];
  const [ca, cert, key] = [file('ca', authority.cert), file('cert', ours.cert), file('key', ours.key)];

  it.each([
    [`ca=${ca}`, { ca: [authority.cert] }],
    [`cert=${cert}&key=${key}`, { cert: ours.cert, key: ours.key }],
    [`ca=${ca}&cert=${cert}&key=${key}`, { ca: [authority.cert], cert: ours.cert, key: ours.key }],
  ])('are read: %s', (query, ssl) => {
    expect(readKafkaAddress(`kafkas://a:1?${query}`)).toEqual({ brokers: ['a:1'], ssl });
  });

  it.each([
    ['KAFKA_BROKERS must name cert and key together', `cert=${cert}`],
    ['KAFKA_BROKERS must name cert and key together', `key=${key}`],
    ['names as ca must contain a certificate in PEM', `ca=${key}`],
    ['names as cert must contain a certificate in PEM', `cert=${key}&key=${key}`],
    ['names as key must contain a private key in PEM', `cert=${cert}&key=${cert}`],
    ['does not belong to the certificate', `cert=${cert}&key=${file('other', other.key)}`],
    ['names as ca cannot be read', 'ca=/nowhere'],
  ])('are refused: %s', (sentence, query) => {
    expect(() => readKafkaAddress(`kafkas://a:1?${query}`)).toThrow(sentence);
  });

  it('cannot be given without TLS', () => {
    expect(() => readKafkaAddress(`kafka://a:1?ca=${ca}`)).toThrow('kafka:// does not use TLS');
  });
});

describe('IPv6 in the address of Kafka', () => {
  it('is refused, because the client would take its first part for the host', () => {
    expect(() => readKafkaAddress('[::1]:9092')).toThrow('KAFKA_BROKERS cannot contain IPv6 addresses');
  });
});
