/* A hand-written kernel for one workload: NMU, two inputs, multiplication, Adam, Philox4x32-10.
   train(runs, steps, low, width, weights) trains each run alone; weights are 2 per run, in and out. */
#include <math.h>
#include <stdint.h>

#define LANES 64
#define ROUNDS 10

static inline void philox(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0, uint32_t k1,
                          uint32_t *out) {
    for (int r = 0; r < ROUNDS; r++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

static inline float sample(uint32_t word, float low, float width) {
    return low + width * (((float)(int32_t)(word >> 9) + 0.5f) * 1.1920929e-7f);
}

static inline float clamp01(float w) { return w < 0 ? 0 : w > 1 ? 1 : w; }

void train(int runs, int steps, float low, float width, float *weights) {
    for (int run = 0; run < runs; run++) {
        float w0 = weights[2 * run], w1 = weights[2 * run + 1];
        float m0 = 0, m1 = 0, v0 = 0, v1 = 0;
        for (int step = 0; step < steps; step++) {
            float g0 = 0, g1 = 0;
            for (int lane = 0; lane < LANES; lane++) {
                uint32_t word[4];
                philox(lane, step, 0, 0, run, 0, word);
                for (int s = 0; s < 2; s++) {
                    float a = sample(word[2 * s], low, width), b = sample(word[2 * s + 1], low, width);
                    float fa = w0 * a + (1 - w0), fb = w1 * b + (1 - w1);
                    float e = 2 * (fa * fb - a * b);
                    g0 += e * fb * (a - 1);
                    g1 += e * fa * (b - 1);
                }
            }
            float ramp = clamp01((step - 20000.0f) / 15000.0f) * 10.0f;
            g0 = g0 / (2 * LANES) + ramp * 0.5f * (w0 < 0.5f ? 1 : -1);
            g1 = g1 / (2 * LANES) + ramp * 0.5f * (w1 < 0.5f ? 1 : -1);
            float t = step + 1, c1 = 1 - powf(0.9f, t), c2 = 1 - powf(0.999f, t);
            m0 = 0.9f * m0 + 0.1f * g0;
            m1 = 0.9f * m1 + 0.1f * g1;
            v0 = 0.999f * v0 + 0.001f * g0 * g0;
            v1 = 0.999f * v1 + 0.001f * g1 * g1;
            w0 = clamp01(w0 - 1e-3f * (m0 / c1) / (sqrtf(v0 / c2) + 1e-8f));
            w1 = clamp01(w1 - 1e-3f * (m1 / c1) / (sqrtf(v1 / c2) + 1e-8f));
        }
        weights[2 * run] = w0;
        weights[2 * run + 1] = w1;
    }
}
