import type { Check } from './doctor.js';
import { SluiceError } from './domain/errors.js';
import { checkChoices, remoteModels, type ModelSettings } from './ports/wire-models.js';

/** No person waits longer for a check. */
const patienceMs = 10_000;

/** Whether each model that a server computes answers as its settings say: each is asked for one small thing. */
export async function modelChecks(settings: ModelSettings): Promise<readonly Check[]> {
  const { embedding, language } = remoteModels(settings);
  return [
    choiceCheck(settings),
    ...(await Promise.all([
      ...embedding.map((model) =>
        check(`embedding model ${model.space.model}`, async (signal) => {
          await model.embedQuery('Is anybody there?', signal);
          await model.embedPassages(['Is anybody there?'], signal);
          return `answers with ${model.space.dimensions} dimensions (space ${model.space.id})`;
        }),
      ),
      ...language.map((model) =>
        check(`language model ${model.name}`, async (signal) => {
          const prompt = 'Say yes.';
          const request = { system: 'Be brief.', prompt, question: prompt, passages: [], maxOutputTokens: 16, signal };
          for await (const part of model.generate(request)) {
            if (part.kind === 'end') return `answers (it took ${part.inputTokens + part.outputTokens} tokens to ask)`;
          }
          return 'answers';
        }),
      ),
    ])),
  ];
}

function choiceCheck(settings: ModelSettings): Check {
  const detail = `new collections are embedded by ${settings.embedding.model}, ${settings.language.model} answers`;
  try {
    checkChoices(settings);
    return { name: 'models', state: 'ok', detail };
  } catch (error) {
    return { name: 'models', state: 'failed', detail: error instanceof Error ? error.message : String(error) };
  }
}

async function check(name: string, ask: (signal: AbortSignal) => Promise<string>): Promise<Check> {
  const signal = AbortSignal.timeout(patienceMs);
  const advice = 'correct its settings, or start its server: work that needs it waits until it answers';
  try {
    return { name, state: 'ok', detail: await ask(signal) };
  } catch (error) {
    if (signal.aborted) return { name, state: 'failed', detail: `no answer within ${patienceMs / 1000} s`, advice };
    if (error instanceof SluiceError) return { name, state: 'failed', detail: error.message, advice };
    throw error;
  }
}
