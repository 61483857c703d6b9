/** {@code fairlead train}: the workers of {@link io.fairlead.samples.training}, each a process, and the proof of what they learnt. */
@NullMarked
package io.fairlead.cli.train;

import org.jspecify.annotations.NullMarked;
