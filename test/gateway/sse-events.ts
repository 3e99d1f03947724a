/** The events of a whole body: name and data. */
export const sseEvents = (body: string): [string, unknown][] =>
  body
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [name = '', data = ''] = block.split('\n');
      return [name.slice('event: '.length), JSON.parse(data.slice('data: '.length)) as unknown];
    });
