import { describe, expect, it } from '@jest/globals';
import '../../src/app.module.js';
import { type Answered, expectDocumented } from '../support/documented-answers.js';

const json = 'application/json; charset=utf-8';
const check = (method: string, path: string, answer: Omit<Answered, 'method' | 'path'>) => () =>
  expectDocumented({ method, path, ...answer });

describe('the check of an answer to a visitor', () => {
  const login = (answer: Partial<Answered>) =>
    check('POST', '/api/app/pr_1/auth/login', { status: 200, contentType: json, body: {}, ...answer });
  const file = (contentType: string) =>
    check('GET', '/api/app/pr_1/files/sf_1', { status: 200, contentType, body: 'text' });

  it('compares it with the document for visitors', () => {
    expect(login({ body: { user: 1 } })).toThrow(
      'POST /api/app/{projectId}/auth/login answered 200, and not as documented',
    );
  });

  it('requires a documented media type', () => {
    expect(login({ contentType: 'text/html' })).toThrow('answered 200 as text/html, which is not documented');
    expect(login({ contentType: '' })).toThrow('answered 200 as nothing, which is not documented');
  });

  it('accepts any media type for a file, but requires one', () => {
    expect(file('image/png')).not.toThrow();
    expect(file('')).toThrow('answered 200 as nothing, which is not documented');
  });
});

describe('the check of an answer to a caller with a key', () => {
  it('compares it with the document of the workspace', () => {
    const answer = { status: 200, contentType: json, body: { id: 1 } };
    expect(check('POST', '/api/v1/workspace/getWorkspace', answer)).toThrow('and not as documented');
  });
});
