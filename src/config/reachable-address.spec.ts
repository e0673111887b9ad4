import { expect, test } from '@jest/globals';
import { unreachableAddress } from './reachable-address.js';

test.each(['127.0.0.1', '::1', 'localhost'])('a service on %s needs no BASE_URL', (host) => {
  expect(unreachableAddress({ host, variables: {} })).toBeUndefined();
});

test('one that listens for other machines must have BASE_URL', () => {
  expect(unreachableAddress({ host: '0.0.0.0', variables: {} })).toMatch(/set it to the address that people open/);
  expect(unreachableAddress({ host: '0.0.0.0', variables: { BASE_URL: 'https://api.example.org' } })).toBeUndefined();
});
