package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.EndpointState;
import io.fairlead.Worker;
import io.fairlead.WorkerTask;
import io.fairlead.config.ConfigKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tasks that are attached to a worker: when they run, how they bound a wait, and how they end. */
public class WorkerTaskContract extends TransportContract {
    /** A worker wakes by itself after a part of its liveness timeout, which is later than the deadline of every case. */
    private static final Duration LONG = Duration.ofMinutes(10);

    private static final long NEVER_NS = Duration.ofHours(1).toNanos();

    private static final long LAST_TAG = 8;

    /** Creates the suite. */
    protected WorkerTaskContract() {}

    @Test
    @Semantics("D-40")
    void shouldRunEachTaskOncePerProgressInTheOrderOfAttachment() {
        Worker worker = client().worker();
        List<String> ran = new ArrayList<>();
        Thread[] thread = new Thread[1];
        worker.attach(() -> {
            thread[0] = Thread.currentThread();
            ran.add("first");
            return 0;
        });
        worker.attach(() -> {
            ran.add("second");
            return 0;
        });
        assertEquals(List.of(), ran);
        client().progress();
        assertEquals(List.of("first", "second"), ran);
        client().progress();
        assertEquals(List.of("first", "second", "first", "second"), ran);
        assertEquals(Thread.currentThread(), thread[0]);
    }

    @Test
    @Semantics("D-40")
    void shouldRunTasksBehindTheCompletionsOfTheSameProgress() {
        Pair pair = connect();
        List<String> order = new ArrayList<>();
        long id = server().receive(buffer(8), 1, Worker.FULL_TAG_MASK, request -> {
            server().recorder().completed(request);
            order.add("completion");
        });
        server().worker().attach(() -> {
            if (order.equals(List.of("completion"))) {
                order.add("task");
            }
            return 0;
        });
        pair.client().send(pattern(8, 1), 1);
        complete(server(), id);
        assertEquals(List.of("completion", "task"), order);
        completeAll(client());
    }

    @Test
    @Semantics("D-41")
    void shouldCountWhatATaskHasDone() {
        Worker worker = client().worker();
        worker.attach(() -> 3);
        assertTrue(client().progress() >= 3);
    }

    @Test
    @Semantics("D-42")
    void shouldNotWaitWhileATaskHasWork() {
        configure(ConfigKeys.LIVENESS_TIMEOUT, LONG);
        Worker worker = client().worker();
        worker.attach(new Waiting(0));
        worker.attach(new Waiting(NEVER_NS));
        // It would last for an hour.
        worker.await(NEVER_NS);
    }

    @Test
    @Semantics("D-42")
    void shouldEndAWaitWhenATaskIsDue() {
        configure(ConfigKeys.LIVENESS_TIMEOUT, LONG);
        Worker worker = client().worker();
        Waiting task = new Waiting(Duration.ofMillis(20).toNanos());
        worker.attach(task);
        worker.await(NEVER_NS);
        assertNotEquals(0, task.asked);
    }

    /** A task that can only wait. */
    private static final class Waiting implements WorkerTask {
        private final long waitNs;
        private int asked;

        private Waiting(long waitNs) {
            this.waitNs = waitNs;
        }

        @Override
        public int run() {
            return 0;
        }

        @Override
        public long maxWaitNs() {
            asked++;
            return waitNs;
        }
    }

    @Test
    @Semantics("D-43")
    void shouldRunADetachedTaskNoMore() {
        Worker worker = client().worker();
        int[] ran = new int[3];
        WorkerTask second = () -> ran[1]++;
        WorkerTask third = () -> ran[2]++;
        worker.attach(() -> {
            if (ran[0]++ == 0) {
                worker.detach(second);
                worker.attach(third);
            }
            return 0;
        });
        worker.attach(second);
        client().progress();
        assertEquals(0, ran[1], "detached before its turn");
        assertEquals(0, ran[2], "attached in the middle of a progress");
        client().progress();
        client().progress();
        assertEquals(3, ran[0]);
        assertEquals(0, ran[1]);
        assertEquals(2, ran[2]);
        worker.detach(second);
        worker.detach(third);
        client().progress();
        assertEquals(2, ran[2]);
    }

    @Test
    @Semantics("D-43")
    void shouldRunATaskThatIsAttachedAgainFromTheNextProgressOn() {
        Worker worker = client().worker();
        int[] ran = new int[2];
        WorkerTask second = () -> ran[1]++;
        worker.attach(() -> {
            if (ran[0]++ == 0) {
                worker.detach(second);
                worker.attach(second);
            }
            return 0;
        });
        worker.attach(second);
        client().progress();
        assertEquals(0, ran[1], "it was detached in this progress");
        client().progress();
        assertEquals(1, ran[1]);
    }

    @Test
    @Semantics("D-43")
    void shouldRunATaskOfACompletionFromTheNextProgressOn() {
        Pair pair = connect();
        Worker worker = server().worker();
        int[] turn = new int[1];
        int[] turnOfCompletion = new int[1];
        List<Integer> turnsOfTask = new ArrayList<>();
        // Runs before the other one, and behind the completions.
        worker.attach(() -> {
            turn[0]++;
            return 0;
        });
        long id = server().receive(buffer(8), 1, Worker.FULL_TAG_MASK, request -> {
            server().recorder().completed(request);
            turnOfCompletion[0] = turn[0] + 1;
            worker.attach(() -> {
                turnsOfTask.add(turn[0]);
                return 0;
            });
        });
        pair.client().send(pattern(8, 1), 1);
        complete(server(), id);
        progressUntil(() -> !turnsOfTask.isEmpty(), "the task of the completion to run");
        assertEquals(turnOfCompletion[0] + 1, turnsOfTask.getFirst());
        completeAll(client());
    }

    @Test
    @Semantics("D-43")
    void shouldRefuseToAttachATaskTwice() {
        Worker worker = client().worker();
        int[] ran = {0};
        WorkerTask task = () -> ran[0]++;
        worker.attach(task);
        assertThrows(IllegalArgumentException.class, () -> worker.attach(task));
        client().progress();
        assertEquals(1, ran[0]);
        worker.detach(task);
        worker.attach(task);
        client().progress();
        assertEquals(2, ran[0]);
    }

    @Test
    @Semantics("D-44")
    void shouldGoOnAfterATaskThatThrows() {
        Pair pair = connect();
        Worker worker = server().worker();
        int[] ran = {0};
        worker.attach(() -> {
            throw new AssertionError("thrown on purpose");
        });
        worker.attach(new WorkerTask() {
            @Override
            public int run() {
                throw new IllegalStateException("thrown on purpose");
            }

            @Override
            public long maxWaitNs() {
                throw new IllegalStateException("thrown on purpose");
            }
        });
        worker.attach(() -> ran[0]++);
        server().progress();
        server().progress();
        assertEquals(2, ran[0]);
        worker.await(NEVER_NS);
        long id = server().receive(buffer(8), 1, Worker.FULL_TAG_MASK);
        pair.client().send(pattern(8, 1), 1);
        complete(server(), id);
        completeAll(client());
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
    }

    @Test
    @Semantics("D-45")
    void shouldTreatATaskAsInsideProgress() {
        Worker worker = client().worker();
        List<Throwable> thrown = new ArrayList<>();
        boolean[] inside = new boolean[1];
        WorkerTask task = () -> {
            inside[0] = worker.isInsideProgress();
            thrown.add(assertThrows(Throwable.class, worker::progress));
            thrown.add(assertThrows(Throwable.class, () -> worker.await(0)));
            return 0;
        };
        worker.attach(task);
        assertFalse(worker.isInsideProgress());
        client().progress();
        worker.detach(task);
        assertTrue(inside[0]);
        assertFalse(worker.isInsideProgress());
        assertEquals(2, thrown.size());
        thrown.forEach(each -> assertInstanceOf(IllegalStateException.class, each));
    }

    @Test
    @Semantics("D-45")
    void shouldTreatTheQuestionHowLongATaskCanWaitAsInsideProgress() {
        configure(ConfigKeys.LIVENESS_TIMEOUT, LONG);
        Worker worker = client().worker();
        List<Throwable> thrown = new ArrayList<>();
        boolean[] inside = new boolean[1];
        WorkerTask task = new WorkerTask() {
            @Override
            public int run() {
                return 0;
            }

            @Override
            public long maxWaitNs() {
                inside[0] = worker.isInsideProgress();
                thrown.add(assertThrows(Throwable.class, worker::progress));
                thrown.add(assertThrows(Throwable.class, () -> worker.await(0)));
                worker.close();
                return NEVER_NS;
            }
        };
        worker.attach(task);
        // It ends though the task can wait for an hour: the worker was to close.
        worker.await(NEVER_NS);
        assertTrue(inside[0]);
        assertEquals(2, thrown.size());
        thrown.forEach(each -> assertInstanceOf(IllegalStateException.class, each));
        assertThrows(IllegalStateException.class, worker::progress);
    }

    @Test
    @Semantics("D-45")
    void shouldTreatTheNewsThatTheWorkerClosesAsInsideProgress() {
        Worker worker = client().worker();
        List<Throwable> thrown = new ArrayList<>();
        boolean[] inside = new boolean[1];
        int[] ran = new int[1];
        worker.attach(new WorkerTask() {
            @Override
            public int run() {
                ran[0]++;
                return 0;
            }

            @Override
            public void workerCloses() {
                inside[0] = worker.isInsideProgress();
                thrown.add(assertThrows(Throwable.class, worker::progress));
                thrown.add(assertThrows(Throwable.class, () -> worker.await(0)));
                worker.close();
            }
        });
        worker.close();
        assertTrue(inside[0]);
        assertEquals(0, ran[0], "it ran inside the close");
        assertEquals(2, thrown.size());
        thrown.forEach(each -> assertInstanceOf(IllegalStateException.class, each));
    }

    @Test
    @Semantics("D-45")
    void shouldRunCompletionsBehindTheTaskThatIsToldThatTheWorkerCloses() {
        Pair pair = connect();
        Worker worker = client().worker();
        boolean[] inTask = new boolean[1];
        List<Boolean> completedInTask = new ArrayList<>();
        worker.attach(new WorkerTask() {
            @Override
            public int run() {
                return 0;
            }

            @Override
            public void workerCloses() {
                inTask[0] = true;
                pair.client().send(pattern(8, 1), LAST_TAG, request -> {
                    client().recorder().completed(request);
                    completedInTask.add(inTask[0]);
                });
                pair.client().endpoint().close();
                inTask[0] = false;
            }
        });
        worker.close();
        assertEquals(List.of(false), completedInTask);
    }

    @Test
    @Semantics("D-45")
    void shouldSendFromATask() {
        Pair pair = connect();
        long id = server().receive(buffer(8), 7, Worker.FULL_TAG_MASK);
        boolean[] sent = {false};
        client().worker().attach(() -> {
            if (sent[0]) {
                return 0;
            }
            sent[0] = true;
            pair.client().send(pattern(8, 1), 7);
            return 1;
        });
        complete(server(), id);
        completeAll(client());
    }

    @Test
    @Semantics("D-46")
    void shouldTellTasksOfTheEndOfTheirWorkerOnce() {
        Pair pair = connect();
        Worker worker = client().worker();
        Closing task = new Closing(pair);
        Closing detached = new Closing(pair);
        worker.attach(task);
        worker.attach(detached);
        worker.detach(detached);
        client().progress();
        int before = task.ran;
        worker.close();
        worker.close();
        assertEquals(1, task.toldBefore);
        assertEquals(1, task.told);
        assertEquals(EndpointState.CONNECTED, task.endpointBefore);
        assertEquals(EndpointState.CLOSED, task.endpointWhenTold);
        long id = server().receive(buffer(8), LAST_TAG, Worker.FULL_TAG_MASK);
        while (!server().recorder().has(id)) {
            server().progress();
            Thread.yield();
        }
        assertEquals(0, detached.toldBefore);
        assertEquals(before, task.ran);
        assertEquals(0, detached.told);
        assertThrows(IllegalStateException.class, () -> worker.attach(detached));
        worker.detach(task);
    }

    @Test
    @Semantics("D-46")
    void shouldCloseTheWorkerWhenTheProgressEndsInWhichATaskClosedIt() {
        Pair pair = connect();
        Worker worker = client().worker();
        boolean[] openInside = {false};
        Closing last = new Closing(pair);
        worker.attach(() -> {
            worker.close();
            openInside[0] = pair.client().endpoint().state() == EndpointState.CONNECTED;
            return 0;
        });
        worker.attach(last);
        client().progress();
        assertTrue(openInside[0]);
        assertEquals(1, last.ran);
        assertEquals(1, last.told);
        assertThrows(IllegalStateException.class, worker::progress);
    }

    /** A task that records how it is notified of the end. */
    private final class Closing implements WorkerTask {
        private final Pair pair;
        private int ran;
        private int toldBefore;
        private int told;
        private EndpointState endpointBefore = EndpointState.CONNECTING;
        private EndpointState endpointWhenTold = EndpointState.CONNECTING;

        private Closing(Pair pair) {
            this.pair = pair;
        }

        @Override
        public int run() {
            ran++;
            return 0;
        }

        @Override
        public void workerCloses() {
            toldBefore++;
            endpointBefore = pair.client().endpoint().state();
            pair.client().send(pattern(8, 1), LAST_TAG);
        }

        @Override
        public void workerClosed() {
            told++;
            endpointWhenTold = pair.client().endpoint().state();
        }
    }
}
