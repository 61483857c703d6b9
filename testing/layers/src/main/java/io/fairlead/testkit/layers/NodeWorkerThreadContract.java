package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.WorkerTask;
import io.fairlead.node.BackPressure;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.WorkerThread;
import io.fairlead.testkit.contract.Semantics;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tasks on a node's progress threads, with their workers. */
public class NodeWorkerThreadContract extends NodeCases {
    /** More than the queue of a progress thread holds. */
    private static final int TOO_MANY = 100_000;

    /** Creates the suite. */
    protected NodeWorkerThreadContract() {}

    @Test
    @Semantics("O-80")
    void shouldRunTasksOnTheThreadInTheOrderOfTheCalls() {
        WorkerThread thread = clientNode().workerThread();
        List<Integer> order = new ArrayList<>();
        Set<Thread> threads = new HashSet<>();
        Set<Worker> workers = new HashSet<>();
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            int number = i;
            answers.add(thread.call(worker -> {
                order.add(number);
                threads.add(Thread.currentThread());
                workers.add(worker);
                assertTrue(thread.isCurrent());
                assertFalse(worker.isInsideProgress());
                return number * 2;
            }));
        }
        for (int i = 0; i < 1000; i++) {
            assertEquals(Integer.valueOf(i * 2), get(answers.get(i)));
        }
        assertEquals(IntStream.range(0, 1000).boxed().toList(), order);
        assertEquals(1, threads.size());
        assertEquals(1, workers.size());
        assertNotEquals(Set.of(Thread.currentThread()), threads);
        assertFalse(thread.isCurrent());
    }

    @Test
    @Semantics("O-80")
    void shouldFailTheFutureWithWhatTheTaskThrew() {
        WorkerThread thread = clientNode().workerThread();
        IllegalStateException onPurpose = new IllegalStateException("thrown on purpose");
        CompletableFuture<Void> failed = thread.call(_ -> {
            throw onPurpose;
        });
        ExecutionException thrown = assertThrows(ExecutionException.class, failed::get);
        assertSame(onPurpose, thrown.getCause());
        assertEquals("on", get(thread.call(_ -> "on")));
    }

    @Test
    @Semantics("O-80")
    void shouldTakeTurnsOverItsThreads() {
        configure(NodeKeys.THREADS, 2);
        Node node = startNode("two");
        Set<Thread> threads = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            threads.add(get(node.workerThread().call(_ -> Thread.currentThread())));
        }
        assertEquals(2, threads.size());
        WorkerThread first = node.workerThread();
        assertSame(first, get(first.call(_ -> node.workerThread())));
    }

    @Test
    @Semantics("O-81")
    void shouldRunAttachedTasksInTheProgressOfTheNode() {
        WorkerThread thread = clientNode().workerThread();
        CountDownLatch ran = new CountDownLatch(3);
        WorkerTask task = new WorkerTask() {
            @Override
            public int run() {
                ran.countDown();
                return 0;
            }

            @Override
            public long maxWaitNs() {
                return 1_000_000;
            }
        };
        get(thread.call(worker -> {
            worker.attach(task);
            return worker;
        }));
        await(ran, "the attached task to run three times");
        get(thread.call(worker -> {
            worker.detach(task);
            return worker;
        }));
    }

    @Test
    @Semantics("O-82")
    void shouldFailTasksOfAClosedNode() {
        Node node = startNode("short-lived");
        WorkerThread thread = node.workerThread();
        List<CompletableFuture<Integer>> racing = new ArrayList<>();
        Thread closer = Thread.ofPlatform().start(node::close);
        for (int i = 0; i < 1000; i++) {
            racing.add(thread.call(_ -> 1));
        }
        for (CompletableFuture<Integer> call : racing) {
            if (get(call.exceptionally(failure -> 0)) == 0) {
                assertEquals(Reason.CLOSED, failureOf(call).reason());
            }
        }
        join(closer);
        assertEquals(Reason.CLOSED, failureOf(thread.call(_ -> 1)).reason());
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Test
    @Semantics("O-83")
    void shouldFailTasksThatFindNoRoom() {
        configure(NodeKeys.BACK_PRESSURE, BackPressure.FAIL);
        WorkerThread thread = clientNode().workerThread();
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        CompletableFuture<Void> blocker = thread.call(_ -> {
            blocked.countDown();
            await(go, "the case to go on");
            return null;
        });
        await(blocked, "the thread to be blocked");
        int accepted = 0;
        List<CompletableFuture<Integer>> calls = new ArrayList<>();
        for (int i = 0; i < TOO_MANY; i++) {
            CompletableFuture<Integer> call = thread.call(_ -> 1);
            if (call.isCompletedExceptionally()) {
                assertEquals(Status.BACK_PRESSURE, failureOf(call).status().orElseThrow());
                break;
            }
            calls.add(call);
            accepted++;
        }
        assertTrue(accepted < TOO_MANY, "the queue has no bound");
        go.countDown();
        get(blocker);
        calls.forEach(call -> assertEquals(Integer.valueOf(1), get(call)));
        assertEquals("on", get(thread.call(_ -> "on")));
    }
}
