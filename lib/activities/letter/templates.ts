import { faultAt, ServiceError } from '../../base/service-error.ts';
import { storedTemplate, type TemplateSource } from './template-store.ts';
import type { WordTemplate } from './word-template.ts';

/** The templates by name, the default first. */
export class Templates {
  readonly #stores: ReadonlyMap<string, () => Promise<WordTemplate>>;

  /** @param paths by name; the first is the default */
  constructor(paths: ReadonlyMap<string, string>, sourceOf: (path: string) => TemplateSource) {
    this.#stores = new Map(
      [...paths].map(([name, path], index) => {
        const setting = index === 0 ? 'WORD_TEMPLATE_PATH' : `WORD_TEMPLATES (${name})`;
        return [name, storedTemplate(sourceOf(path), setting)];
      }),
    );
  }

  get items(): { name: string; isDefault: boolean }[] {
    return [...this.#stores.keys()].map((name, index) => ({ name, isDefault: index === 0 }));
  }

  /**
   * @param name default: the one named like the language (`en-GB`, else `en`), else the first
   * @throws ServiceError `invalid_request` for an unknown name, `word_template_not_found`, `word_template_invalid`
   */
  async template(name: string | undefined, language: string): Promise<WordTemplate> {
    const names = [...this.#stores.keys()];
    const chosen =
      name ?? [language, new Intl.Locale(language).language].find((each) => names.includes(each));
    const store = this.#stores.get(chosen ?? names[0]!);
    if (store !== undefined) return store();
    const detail = `There is no template of this name; the templates are ${names.join(', ')}.`;
    throw new ServiceError('invalid_request', {
      detail,
      errors: [faultAt('body.template', 'unknown_template')],
    });
  }
}
