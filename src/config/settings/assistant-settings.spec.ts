import { describe, expect, it } from '@jest/globals';
import { readAssistantSettings } from './assistant-settings.js';

const url = 'https://api.openai.com/v1';

describe('the settings of the assistant', () => {
  it.each([{}, { ASSISTANT_URL: '' }, { ASSISTANT_KEY: 'sk-1', ASSISTANT_MODEL: 'm' }])(
    'do not exist without an address: %j',
    (raw) => {
      expect(readAssistantSettings(raw)).toBeUndefined();
    },
  );

  it.each([
    [
      { ASSISTANT_URL: url, ASSISTANT_KEY: 'sk-1', ASSISTANT_MODEL: 'm' },
      { url, key: 'sk-1', model: 'm' },
    ],
    [
      { ASSISTANT_URL: 'http://10.0.0.7:11434/v1?a=b', ASSISTANT_KEY: '', ASSISTANT_MODEL: 'llama' },
      { url: 'http://10.0.0.7:11434/v1?a=b', key: undefined, model: 'llama' },
    ],
  ])("reads the assistant's settings of %j", (raw, settings) => {
    expect(readAssistantSettings(raw)).toEqual(settings);
  });

  const hidden = 'hunter2';
  it.each([
    ['ASSISTANT_URL', { ASSISTANT_URL: hidden }],
    ['ASSISTANT_URL', { ASSISTANT_URL: `ftp://${hidden}` }],
    ['ASSISTANT_URL', { ASSISTANT_URL: `https://ann:${hidden}@example.com` }],
    ['ASSISTANT_URL', { ASSISTANT_URL: `https://example.com/#${hidden}` }],
    ['ASSISTANT_KEY', { ASSISTANT_URL: url, ASSISTANT_MODEL: 'm', ASSISTANT_KEY: `${hidden}\nX-Other: 1` }],
    ['ASSISTANT_KEY', { ASSISTANT_URL: url, ASSISTANT_MODEL: 'm', ASSISTANT_KEY: `Bearer ${hidden}` }],
    ['ASSISTANT_KEY', { ASSISTANT_URL: url, ASSISTANT_MODEL: 'm', ASSISTANT_KEY: `${hidden}é` }],
    ['ASSISTANT_MODEL', { ASSISTANT_URL: url }],
    ['ASSISTANT_MODEL', { ASSISTANT_URL: url, ASSISTANT_MODEL: '' }],
  ])('%s is named, in an error without %j', (name, raw) => {
    expect(() => readAssistantSettings(raw)).toThrow(new RegExp(`^[^\n]*${name} must [^\n]+\\.$`));
    expect(() => readAssistantSettings(raw)).not.toThrow(new RegExp(hidden));
  });
});
