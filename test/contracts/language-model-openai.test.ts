import { afterAll, it } from 'vitest';
import { createOpenAiLanguageModel } from '../../services/ports/language-model/openai-compatible/openai.js';
import { chatServerIsInstalled, startChatServer } from '../stack/llm.js';
import { startOrSkip } from '../stack/start-or-skip.js';
import { languageSettings } from '../services/ports/openai/settings.js';
import { describeLanguageModelContract } from './language-model-contract.js';

if (chatServerIsInstalled()) {
  const server = await startOrSkip('a chat server', startChatServer);
  if (server !== undefined) {
    afterAll(() => server.stop());
    describeLanguageModelContract('openai-compatible', () =>
      Promise.resolve(
        createOpenAiLanguageModel(
          languageSettings('gemma', { baseUrl: server.url, instructionsIn: 'user', contextWindow: 4096 }),
        ),
      ),
    );
  }
} else {
  const reason = 'the chat server is not installed, for it compiles for minutes; test/long installs it';
  process.stderr.write(`skipped: ${reason}\n`);
  it.skip(reason, () => undefined);
}
