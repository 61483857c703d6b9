package io.fairlead.testkit.contract;

import io.fairlead.Endpoint;
import io.fairlead.Status;
import java.util.Optional;

/**
 * A copy of a request as a completion saw it.
 *
 * @param id the request's id
 * @param status how it ended
 * @param tag its tag
 * @param length its length in bytes
 * @param value its value
 * @param userData the number that was passed with the post
 * @param source its source
 * @param thread the thread that the completion ran on
 * @param insideProgress whether the harness was inside a progress of the worker, as against a close
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
