import {
  Button,
  Dialog,
  DialogActions,
  DialogBody,
  DialogContent,
  DialogSurface,
  DialogTitle,
  DialogTrigger,
  Field,
  Input,
} from '@fluentui/react-components';
import { AddRegular } from '@fluentui/react-icons';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { useLocation } from 'wouter';
import { api, dataOf } from '../../api/client.ts';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { useTexts } from '../../texts/use-texts.ts';
import { projectKey } from './use-project.ts';

export function AddProject() {
  const { documents: texts } = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog open={isOpen} onOpenChange={(_event, { open }) => setOpen(open)}>
      <DialogTrigger disableButtonEnhancement>
        <Button icon={<AddRegular />}>{texts.addProject}</Button>
      </DialogTrigger>
      <DialogSurface>
        <ProjectForm onDone={() => setOpen(false)} />
      </DialogSurface>
    </Dialog>
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
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  const isComplete = Object.values(project).every((value) => value.trim() !== '');
  const field = (name: keyof typeof project, label: string, hint?: string) => (
    <Field label={label} required {...(hint !== undefined && { hint })}>
      <Input
        value={project[name]}
        onChange={(_event, { value }) => setProject((given) => ({ ...given, [name]: value }))}
      />
    </Field>
  );
  return (
    <form onSubmit={submit}>
      <DialogBody>
        <DialogTitle>{texts.addProjectTitle}</DialogTitle>
        <DialogContent>
          {field('id', texts.projectId, texts.projectIdHint)}
          {field('number', texts.number)}
          {field('name', texts.name)}
          <ProblemBar error={add.error} />
        </DialogContent>
        <DialogActions>
          <Button onClick={onDone}>{common.cancel}</Button>
          <Button type="submit" appearance="primary" disabled={!isComplete || add.isPending}>
            {common.add}
          </Button>
        </DialogActions>
      </DialogBody>
    </form>
  );
}
