package io.fairlead.testkit.contract;

import io.fairlead.Endpoint;
import io.fairlead.Status;
import java.util.Optional;

/**
 * How an operation completed: a copy of the request that its completion was given. Immutable.
 *
 * @param id the request's id
 * @param status its status
 * @param tag its tag
 * @param length its length in bytes
 * @param value its value, such as that of an atomic
 * @param userData the number that was passed with the post
 * @param source the endpoint that a received message came from
 * @param thread the thread that the completion ran on
 * @param insideProgress whether the completion ran inside a progress of the worker, and not inside a close
 */
public record Outcome(
        long id,
        Status status,
        long tag,
        long length,
        long value,
        long userData,
        Optional<Endpoint> source,
        Thread thread,
        boolean insideProgress) {}
