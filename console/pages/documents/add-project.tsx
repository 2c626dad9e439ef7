import { Button, Field, Input } from '@fluentui/react-components';
import { AddRegular } from '@fluentui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, dataOf } from '../../api/client.ts';
import { ButtonDialog, DialogForm } from '../../parts/dialogs/button-dialog.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { projectKey } from './project/use-project.ts';

export function AddProject() {
  const { documents: texts } = useTexts();
  return (
    <ButtonDialog button={<Button icon={<AddRegular />}>{texts.addProject}</Button>}>
      {(close) => <ProjectForm onDone={close} />}
    </ButtonDialog>
  );
}

function ProjectForm({ onDone }: { onDone: () => void }) {
  const { documents: texts, common } = useTexts();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [project, setProject] = useState({ id: '', number: '', name: '' });
  const add = useMutation({
    mutationFn: () => {
      const { id, ...body } = project;
      return dataOf(api.PUT('/projects/{projectId}', { params: { path: { projectId: id.trim() } }, body }));
    },
    onSuccess: async (added) => {
      await client.invalidateQueries({ queryKey: projectKey(added.id) });
      onDone();
      navigate(`/documents/${encodeURIComponent(added.id)}`);
    },
  });
  const field = (name: keyof typeof project, label: string, hint?: string) => (
    <Field label={label} required {...(hint !== undefined && { hint })}>
      <Input
        value={project[name]}
        onChange={(_event, { value }) => setProject((given) => ({ ...given, [name]: value }))}
      />
    </Field>
  );
  return (
    <DialogForm
      title={texts.addProjectTitle}
      action={common.add}
      isComplete={Object.values(project).every((value) => value.trim() !== '')}
      mutation={add}
      onSubmit={() => add.mutate()}
      onCancel={onDone}
    >
      {field('id', texts.projectId, texts.projectIdHint)}
      {field('number', texts.number)}
      {field('name', texts.name)}
    </DialogForm>
  );
}
