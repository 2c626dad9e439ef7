import {
  asksForJson,
  type TextRequest,
  completion,
  expectedLetter,
  letterJson,
  type ServerReply,
} from './text-server.ts';

// A reasoning model behind Ollama, llama.cpp or vLLM. The server ignores unknown parameters and formats
// (https://github.com/ollama/ollama/issues/12362: json_schema without effect). The content includes the model's
// reasoning unless the server was started with a parser for it (llama.cpp `--reasoning-format none`, vLLM without
// `--reasoning-parser`), and the text is in a Markdown fence.
type Style = 'fence' | 'thoughts' | 'open thoughts' | 'raw line breaks';

const written: Record<Style, string> = {
  fence: `Gern, hier ist der Text:\n\n\`\`\`json\n${JSON.stringify(expectedLetter, null, 2)}\`\`\``,
  thoughts: `<think>\nEr will {"subject": "x", "content": "y"}.\n</think>\n\n\`\`\`json\n${letterJson}\n\`\`\`\n`,
  // DeepSeek-R1's chat template opens the tag in the prompt.
  'open thoughts': `Also, ein Brief {kurz}.\n</think>\n\n${letterJson}`,
  'raw line breaks': `{\n  "subject": ${JSON.stringify(expectedLetter.subject)},\n  "content": "${expectedLetter.content}"\n}`,
};

export const localReasoner =
  (style: Style) =>
  (request: TextRequest): ServerReply =>
    completion(asksForJson(request) ? written[style] : '<think>\nKurz.\n</think>\n\nGuten Tag Anna Weber, …');
