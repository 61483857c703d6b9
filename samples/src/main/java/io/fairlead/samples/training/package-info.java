/**
 * Training of a small neural network by several processes at once, on the public API only: a pattern for any application whose
 * processes add up vectors again and again.
 *
 * <p>Read {@link io.fairlead.samples.training.TrainingWorker} first, then {@link io.fairlead.samples.training.RingSum}, which is
 * where remote memory does the work, and then {@link io.fairlead.samples.training.Coordinator}, which brings the workers together.
 */
@NullMarked
package io.fairlead.samples.training;

import org.jspecify.annotations.NullMarked;
