import { checked, type Check } from './check.js';
import { checkChoices, remoteModels, type ModelSettings } from './ports/wire-models.js';

const advice = 'correct its settings, or start its server: work that needs it waits until it answers';

/** Whether each model that a server computes answers as its settings say: each is asked for one small thing. */
export async function modelChecks(settings: ModelSettings): Promise<readonly Check[]> {
  const { embedding, language } = remoteModels(settings);
  return [
    choiceCheck(settings),
    ...(
      await Promise.all([
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
            const request = {
              system: 'Be brief.',
              prompt,
              question: prompt,
              passages: [],
              maxOutputTokens: 16,
              signal,
            };
            for await (const part of model.generate(request)) {
              if (part.kind === 'end') return `answers (it took ${part.inputTokens + part.outputTokens} tokens to ask)`;
            }
            return 'answers';
          }),
        ),
      ])
    ).flat(),
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

const check = (name: string, ask: (signal: AbortSignal) => Promise<string>): Promise<readonly Check[]> =>
  checked({ name, advice }, async (signal) => [{ name, state: 'ok', detail: await ask(signal) }]);
