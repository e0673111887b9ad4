import { describe, expect, it } from '@jest/globals';
import { destinationOf, whyNotOver } from './secret-destination.js';

const why = async (url: string, hosts: readonly string[], allowed = false, allowedHosts = hosts) => {
  const to = destinationOf(url);
  if (to === undefined) throw new Error(`${url} is no web address`);
  return whyNotOver(to, { hosts, allowedHosts }, async () => allowed);
};

describe('the connection that a secret goes over', () => {
  it.each([
    ['https://api.test/', ['api.test']],
    ['https://api.test:443/', ['api.test']],
    ['https://api.test:8443/', ['api.test:8443']],
    ['https://a.api.test:8443/', ['*.api.test:8443']],
    ['https://[::1]:8443/', ['[::1]:8443']],
    ['https://api.test:8443/', ['api.test', 'api.test:8443']],
  ])('%s is right for %j', async (url, hosts) => {
    expect(await why(url, hosts)).toBeUndefined();
  });

  it.each([
    ['http://api.test/', ['api.test'], 'over https only'],
    ['http://api.test:443/', ['api.test'], 'over https only'],
    ['http://api.test:8443/', ['api.test:8443'], 'over https only'],
    ['http://api.test:8080/', ['api.test'], 'over https only'],
    ['https://api.test:8443/', ['api.test'], 'api.test:8443'],
    ['https://api.test/', ['api.test:8443'], 'port 443'],
    ['http://api.test:8080/', ['api.test:8443'], 'api.test:8080'],
  ])('%s is not for %j', async (url, hosts, told) => {
    expect(await why(url, hosts)).toContain(told);
  });

  it('must suit both lists', async () => {
    expect(await why('https://api.test:8443/', ['api.test:8443'], false, ['api.test'])).toContain('api.test:8443');
    expect(await why('http://api.test:8443/', ['api.test:8443'], true, ['api.test:9'])).toContain('api.test:8443');
  });

  it.each([
    ['http://api.test/', ['api.test']],
    ['http://api.test:8080/', ['api.test']],
    ['https://api.test:8443/', ['api.test']],
    ['http://api.test:8080/', ['api.test:8080']],
  ])('%s is right for %j at a host that the operator permitted', async (url, hosts) => {
    expect(await why(url, hosts, true)).toBeUndefined();
  });

  it('is a port of the lists even at a host that the operator permitted', async () => {
    expect(await why('http://api.test:8080/', ['api.test:8443'], true)).toContain('api.test:8080');
  });
});
